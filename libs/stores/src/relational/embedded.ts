// Opens the standalone's relational store (PGlite or a PostgreSQL server) and key store. If no keys are configured, the first start
// generates a pair.
import { createKeyStore } from '@svc-server/relational/key-store'
import type { EnsuredProject, KeyStore } from '@svc-server/relational/key-types'
import { openRelationalStore, type RelationalStore } from '@svc-server/relational/store'
import { tighten } from '@svc-server/service/files'
import { defineStore, type Store } from '@svc-server/service/store'
import type { DataDirectory } from '../data-directory/data-directory.ts'
import { dataDirectory } from '../data-directory/store.ts'
import { choiceOf, postgresMigrationSettings } from '../schema-migrations.ts'
import { warnOfTakenAway } from './first-project.ts'
import { openPostgres } from './relational.ts'
import { type FirstProjectConfig, firstProjectProblems, madeFirstProjectSettings, optionalDatabaseUrl, optionalSalt } from './settings.ts'

export const embeddedRelational: Store<RelationalStore> = defineStore({
  name: 'The relational store',
  needs: { directory: dataDirectory },
  variables: { url: optionalDatabaseUrl, ...postgresMigrationSettings },
  open: async ({ url, ...migrations }, { directory }, { logger }) => {
    const path = directory.paths.relational
    const store =
      url === undefined
        ? await openRelationalStore({ kind: 'embedded', directory: path })
        : await openPostgres(url, logger, choiceOf(migrations))
    // PGlite ignores the umask and creates files with mode 0666, so their permissions are restricted here.
    if (url === undefined) tighten(path)
    return { store, close: () => store.close() }
  },
})

/** Returns the configured keys, or the keys that the first start generated. */
export const firstKeysOf = ({ publicKey, secretKey }: Pick<FirstProjectConfig, 'publicKey' | 'secretKey'>, directory: DataDirectory) => ({
  publicKey: publicKey ?? directory.secrets.publicKey,
  secretKey: secretKey ?? directory.secrets.secretKey,
})

/** Commands use this store, because opening it does not create the first project. */
export const embeddedKeyStore: Store<KeyStore> = defineStore({
  name: 'The relational store',
  needs: { directory: dataDirectory, relational: embeddedRelational },
  variables: { salt: optionalSalt },
  open: async ({ salt }, { directory, relational }) => ({ store: createKeyStore(relational, { salt: salt ?? directory.secrets.salt }) }),
})

export const embeddedFirstProject: Store<EnsuredProject> = defineStore({
  name: 'The relational store',
  needs: { directory: dataDirectory, keys: embeddedKeyStore },
  variables: madeFirstProjectSettings,
  validate: firstProjectProblems,
  open: async ({ orgId, projectId, ...config }, { directory, keys }, { logger }) => {
    const ensured = await keys.ensureProject({ orgId, projectId, ...firstKeysOf(config, directory) })
    warnOfTakenAway(ensured, config.publicKey, logger)
    return { store: ensured }
  },
})

export const embeddedKeys: Store<KeyStore> = defineStore({
  name: 'The relational store',
  needs: { keys: embeddedKeyStore, firstProject: embeddedFirstProject },
  variables: {},
  open: async (_, { keys }) => ({ store: keys }),
})
