// Opens the stores of the running services for commands. A command takes no lock, because several processes can use a Kafka, ClickHouse or
// PostgreSQL server at the same time.
import type { ColumnStore } from '@svc-server/column-store/port'
import { AppError } from '@svc-server/errors'
import type { EventLog } from '@svc-server/log'
import { createKeyStore } from '@svc-server/relational/key-store'
import type { KeyStore } from '@svc-server/relational/key-types'
import type { RelationalStore } from '@svc-server/relational/store'
import { defineStore, type Store } from '@svc-server/service/store'
import { connectColumnStore, threadsOfServerReads } from './column-store/column-store.ts'
import { columnStoreSettings, madeColumnStorePassword, optionalColumnStoreUrl } from './column-store/settings.ts'
import { openKafka } from './event-log/kafka.ts'
import { kafkaProblems, kafkaSettings } from './event-log/settings.ts'
import { openPostgres } from './relational/relational.ts'
import { optionalDatabaseUrl, optionalSalt } from './relational/settings.ts'

/** A command calls this function for each setting that it uses. Throws if the setting is missing. */
export function required(value: string | undefined, variable: string): string {
  if (value !== undefined) return value
  throw new AppError('config_invalid', `${variable} is not set: with SVC_LOG=kafka a command uses the stores of the running services.`, {
    variable,
  })
}

export const serverLog: Store<EventLog> = defineStore({
  name: 'The event log',
  variables: kafkaSettings,
  validate: kafkaProblems,
  open: async (config, _, { logger }) => {
    // An inspection of topics must not create any topic.
    const log = await openKafka({ ...config, createTopics: false }, { clientId: 'svc', logger })
    return { store: log, close: () => log.close() }
  },
})

export const serverColumnStore: Store<ColumnStore> = defineStore({
  name: 'The column store',
  variables: { url: optionalColumnStoreUrl, password: madeColumnStorePassword, ...columnStoreSettings },
  open: async ({ url, password, ...config }) => {
    const address = { url: required(url, optionalColumnStoreUrl.env), password, maxReadThreads: threadsOfServerReads }
    const store = connectColumnStore(config, address)
    return { store, close: () => store.close() }
  },
})

export const serverRelational: Store<RelationalStore> = defineStore({
  name: 'The relational store',
  variables: { url: optionalDatabaseUrl },
  open: async ({ url }, _, { logger }) => {
    // Commands must not change the schema by opening the store, so pending migrations are an error (`apply: false`).
    const store = await openPostgres(required(url, optionalDatabaseUrl.env), logger, { apply: false })
    return { store, close: () => store.close() }
  },
})

export const serverKeyStore: Store<KeyStore> = defineStore({
  name: 'The relational store',
  needs: { relational: serverRelational },
  variables: { salt: optionalSalt },
  open: async ({ salt }, { relational }) => ({ store: createKeyStore(relational, { salt: required(salt, optionalSalt.env) }) }),
})
