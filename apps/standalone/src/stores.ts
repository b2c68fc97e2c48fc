// The stores behind the services and behind the operators' commands: each opened once, when first asked for.
import type { ColumnStore } from '@svc-server/column-store'
import { type Engine, startEngine } from '@svc-server/embedded-engine'
import { type EventLog, openEmbeddedLog } from '@svc-server/log'
import { groupNames, type WriteMode } from '@svc-server/modes'
import { createKeyStore, type KeyStore, openRelationalStore, type RelationalStore } from '@svc-server/relational'

import { topicSpecs } from '@svc-server/schema'
import { tighten } from '@svc-server/service/files'
import type { Logger } from '@svc-server/service/logs'

import { migrateTables, openColumnStore, openRelational, openRemoteLog } from '@svc-server/stores'
import type { StoreEnvironment } from './config.ts'
import type { DataDirectory } from './data-dir.ts'
import { loadSecrets, type Secrets } from './secrets.ts'

export interface Stores {
  readonly secrets: Secrets
  log(): Promise<EventLog>
  relational(): Promise<RelationalStore>
  keys(): Promise<KeyStore>
  /** Connected; its migrations are the caller's. */
  columnStore(): Promise<ColumnStore>
  /** Brings the column store's tables to this version. Throws migration_failed. */
  migrate(): Promise<void>
  /** The embedded engine's process; undefined when COLUMNSTORE_URL points elsewhere or nobody asked for the column store. */
  engine(): Engine | undefined
  readonly columnStoreUrl: string
  readonly columnStorePassword: string
  /** Closes what was opened, in the order that loses nothing. */
  close(): Promise<void>
}

const once = <T>(open: () => Promise<T>) => {
  let opened: Promise<T> | undefined
  return Object.assign(() => (opened ??= open()), { opened: () => opened })
}

/** Closes a store that was opened; one that failed to open has nothing to close. */
const closeOpened = async <T>(opened: Promise<T> | undefined, close: (store: T) => Promise<void>) => {
  const store = await opened?.catch(() => undefined)
  if (store !== undefined) await close(store)
}

interface LogOptions {
  readonly writeMode: WriteMode
  readonly ackTimeoutMs?: number
}

export function openStores(
  env: StoreEnvironment,
  { writeMode, ackTimeoutMs }: LogOptions,
  directory: DataDirectory,
  logger: Logger,
): Stores {
  const secrets = loadSecrets(directory.paths.secrets)
  const columnStorePassword = env.COLUMNSTORE_PASSWORD ?? (env.COLUMNSTORE_URL === undefined ? secrets.columnStorePassword : '')
  const columnStoreUrl = env.COLUMNSTORE_URL ?? `http://${env.SVC_BIND === '0.0.0.0' ? '127.0.0.1' : env.SVC_BIND}:${env.COLUMNSTORE_PORT}`
  let engine: Engine | undefined

  const log = once((): Promise<EventLog> => {
    if (env.SVC_LOG === 'kafka') {
      return openRemoteLog(env, { writeMode, clientId: 'svc-standalone', logger, ...(ackTimeoutMs !== undefined && { ackTimeoutMs }) })
    }
    const limit = env.SVC_TOPIC_MAX_BYTES
    const maxTopicBytes =
      limit === undefined ? undefined : { 'spans.direct': limit, 'spans.staging': limit, 'spans.filled': limit, 'spans.overflow': limit }
    const topics = topicSpecs({
      embedded: true,
      writeMode,
      enabledReaders: [groupNames.writer, groupNames.ledger, groupNames.propagator],
      ...(maxTopicBytes && { maxTopicBytes }),
    })
    return openEmbeddedLog({ directory: directory.paths.log, topics, logger })
  })

  const relational = once(async () => {
    if (env.DATABASE_URL !== undefined) return openRelational({ DATABASE_URL: env.DATABASE_URL }, logger)
    const store = await openRelationalStore({ kind: 'embedded', directory: directory.paths.relational })
    // It sets the modes of its first files itself, to 0666, whatever the umask.
    tighten(directory.paths.relational)
    return store
  })
  const keys = once(async () => createKeyStore(await relational(), { salt: env.SALT ?? secrets.salt }))

  const columnStore = once(async () => {
    if (env.COLUMNSTORE_URL === undefined) {
      engine = await startEngine({
        dataDir: directory.paths.columnStore,
        host: env.SVC_BIND,
        port: env.COLUMNSTORE_PORT,
        user: env.COLUMNSTORE_USER,
        password: columnStorePassword,
        database: env.COLUMNSTORE_DB,
        memoryLimitBytes: env.COLUMNSTORE_MEMORY_LIMIT,
        silenceMs: env.COLUMNSTORE_SILENCE_MS,
        logger,
      })
    }
    return openColumnStore({ ...env, COLUMNSTORE_URL: columnStoreUrl, COLUMNSTORE_PASSWORD: columnStorePassword })
  })

  return {
    secrets,
    log,
    relational,
    keys,
    columnStore,
    engine: () => engine,
    columnStoreUrl,
    columnStorePassword,
    async migrate() {
      const { COLUMNSTORE_CLUSTER_ENABLED: clustered, COLUMNSTORE_CLUSTER_NAME: clusterName } = env
      await migrateTables(await columnStore(), { clustered, clusterName, relational: await relational() })
    },
    async close() {
      await closeOpened(log.opened(), store => store.close())
      await closeOpened(columnStore.opened(), store => store.close())
      await engine?.stop()
      await closeOpened(relational.opened(), store => store.close())
    },
  }
}
