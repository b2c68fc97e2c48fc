// The standalone's stores. They are in the data directory, unless variables place them on servers.
import type { Environment, Profile } from '@svc-server/service/configuration'
import { type Replacements, replaced } from '@svc-server/service/store'
import { columnStore } from './column-store/column-store.ts'
import { embeddedColumnStore } from './column-store/embedded.ts'
import type { DataDirectory } from './data-directory/data-directory.ts'
import { embeddedLocalState } from './data-directory/embedded-state.ts'
import { localState } from './data-directory/local-state.ts'
import { dataDirectory, lockedDataDirectory } from './data-directory/store.ts'
import { embeddedEncryption, encryption } from './encryption.ts'
import { embeddedEventLog, logKind } from './event-log/embedded.ts'
import { answeringEventLog, eventLog } from './event-log/event-log.ts'
import { embeddedMedia } from './media/embedded.ts'
import { media } from './media/media.ts'
import { embeddedKeys, embeddedRelational } from './relational/embedded.ts'
import { embeddedFirstUser, firstUser } from './relational/first-user.ts'
import { keys } from './relational/keys.ts'
import { relational } from './relational/relational.ts'

export const embeddedStores: Replacements = new Map([
  replaced(eventLog, embeddedEventLog),
  replaced(answeringEventLog, embeddedEventLog),
  replaced(columnStore, embeddedColumnStore),
  replaced(relational, embeddedRelational),
  replaced(keys, embeddedKeys),
  replaced(firstUser, embeddedFirstUser),
  replaced(encryption, embeddedEncryption),
  replaced(localState, embeddedLocalState),
  replaced(media, embeddedMedia),
])

export const embeddedStoresOn = (directory: DataDirectory): Replacements =>
  new Map([...embeddedStores, replaced(dataDirectory, lockedDataDirectory(directory))])

/** Returns the profile, which determines the defaults of some settings. */
export const profileOf = (env: Environment): Profile => (env[logKind.env]?.trim() === 'kafka' ? 'remote' : 'embedded')

export {
  type ColumnStoreAddress,
  embeddedColumnStore,
  embeddedColumnStoreAddress,
  embeddedColumnStoreSettings,
} from './column-store/embedded.ts'
export { dataDirectorySetting } from './data-directory/store.ts'
export { embeddedEventLog, logKind } from './event-log/embedded.ts'
export { embeddedFirstProject, embeddedKeyStore, embeddedRelational, firstKeysOf } from './relational/embedded.ts'
export { embeddedFirstUser } from './relational/first-user.ts'
export { madeFirstProjectSettings, optionalDatabaseUrl } from './relational/settings.ts'
