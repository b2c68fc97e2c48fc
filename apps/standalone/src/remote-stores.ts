// The stores of separate processes, for the operators' commands: servers that may be opened by anybody, so there is no lock to take.
import type { ColumnStore } from '@svc-server/column-store'
import { AppError } from '@svc-server/errors'
import type { EventLog } from '@svc-server/log'
import { createKeyStore, type KeyStore } from '@svc-server/relational'
import type { Logger } from '@svc-server/service/logs'
import { openColumnStore, openRelational, openRemoteLog } from '@svc-server/stores'
import type { StoreEnvironment } from './config.ts'

export interface RemoteStores {
  keys(): Promise<KeyStore>
  log(): Promise<EventLog>
  columnStore(): Promise<ColumnStore>
  close(): Promise<void>
}

const required = (env: StoreEnvironment, name: 'DATABASE_URL' | 'COLUMNSTORE_URL' | 'SALT'): string => {
  const value = env[name]
  if (value !== undefined) return value
  throw new AppError('config_invalid', `${name} is not set: with SVC_LOG=kafka a command uses the stores of the running services.`, {
    variable: name,
  })
}

/** Opens a store when it is first asked for. */
export function openRemoteStores(env: StoreEnvironment, logger: Logger): RemoteStores {
  const closers: (() => Promise<unknown>)[] = []
  const closing = <T extends { close(): Promise<unknown> }>(store: T): T => {
    closers.push(() => store.close())
    return store
  }
  return {
    async keys() {
      const salt = required(env, 'SALT')
      const store = closing(await openRelational({ DATABASE_URL: required(env, 'DATABASE_URL') }, logger))
      return createKeyStore(store, { salt })
    },
    async log() {
      // A look at the topics must not make them.
      const settings = { ...env, SVC_KAFKA_CREATE_TOPICS: false }
      return closing(await openRemoteLog(settings, { writeMode: 'events_only', clientId: 'svc', logger }))
    },
    async columnStore() {
      return closing(openColumnStore({ ...env, COLUMNSTORE_URL: required(env, 'COLUMNSTORE_URL') }))
    },
    async close() {
      for (const close of closers.toReversed()) await close()
    },
  }
}
