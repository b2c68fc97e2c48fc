// Opens the relational store: PGlite in a directory, or a PostgreSQL server. Both run the same SQL.
import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AppError } from '@svc-server/errors'
import { Kysely, PGliteDialect, PostgresDialect, sql } from 'kysely'
import { defaults, Pool, type PoolConfig, types } from 'pg'
import { type ClassifyingDialect, classifyingDialect } from './classifying-dialect.ts'
import type { Database } from './database.ts'
import { openEmbeddedThread } from './embedded-thread.ts'
import { jsonParsers } from './json-columns.ts'
import { withServerLock } from './lock.ts'
import { checkMigrations, type MigrationChoice, migrateToLatest } from './migrations/migrate.ts'
import { createPlaces } from './places.ts'
import { createTableChanges, type TableChanges } from './table-changes.ts'

export type RelationalStoreOptions =
  /** PGlite takes no lock, so the caller must own the lock of the data directory. */
  | { readonly kind: 'embedded'; readonly directory: string }
  | {
      readonly kind: 'postgres'
      readonly url: string
      /** 5 by default. */
      readonly maxConnections?: number
      /** Called when an idle connection breaks. The pool replaces the connection. */
      readonly onIdleError?: (error: Error) => void
      /** By default, an outdated schema is migrated to the newest version. */
      readonly migrations?: MigrationChoice
    }

export interface RelationalStore {
  readonly kind: 'embedded' | 'postgres'
  readonly db: Kysely<Database>
  /** Number of changes of a table so far. Absent for a PostgreSQL server, because changes by other processes would not be counted. */
  readonly changesOf?: (table: string) => number
  /** Checks that the store responds, for the readiness probe. Rejects with `relational_unavailable`. */
  ping(): Promise<void>
  /** Runs the work while no other process runs work under the same name. If another process does, the call waits for it first. */
  exclusive<T>(name: string, work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** On a busy machine, connecting to a running server can take more than 2 s. */
const connectTimeoutMs = 5_000
/** Idle connections stay open for this time, so that a burst of requests after a pause needs no new connections. */
const idleTimeoutMs = 300_000
const queryTimeoutMs = 5_000
const defaultConnections = 5
const maxWaiting = 1_000
const maxWaitMs = 15_000

/** PGlite itself would open a directory twice without an error, and would damage its files. */
const openDirectories = new Set<string>()

const embeddedDialect = async (directory: string, changes: TableChanges): Promise<ClassifyingDialect> => {
  try {
    await mkdir(directory, { recursive: true })
    return classifyingDialect(new PGliteDialect({ pglite: await openEmbeddedThread(directory, changes) }))
  } catch (error) {
    throw new AppError('relational_unavailable', `The relational store in ${directory} cannot be opened.`, { directory }, { cause: error })
  }
}

export type { MigrationChoice } from './migrations/migrate.ts'

export type PostgresOptions = RelationalStoreOptions & { readonly kind: 'postgres' }

// PostgreSQL's id of the type `timestamp`. v3's time columns have this type and contain UTC.
const timeWithoutZone = 1114
const asUtc = (text: string) => new Date(`${text.replace(' ', 'T')}Z`)
const parsers: Readonly<Record<number, (text: string) => unknown>> = { ...jsonParsers, [timeWithoutZone]: asUtc }
const ownTypes: NonNullable<PoolConfig['types']> = {
  getTypeParser: (id: number, format?: 'text' | 'binary') => parsers[id] ?? types.getTypeParser(id, format),
}
defaults.parseInputDatesAsUTC = true

const postgresDialect = ({ url, onIdleError }: PostgresOptions, pool: PoolConfig): ClassifyingDialect => {
  const created = new Pool({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleTimeoutMs,
    application_name: 'svc',
    types: ownTypes,
    ...pool,
  })
  // Without a listener, an idle connection that breaks would end the process.
  created.on('error', error => onIdleError?.(error))
  return classifyingDialect(new PostgresDialect({ pool: created }), createPlaces({ places: pool.max ?? 1, maxWaiting, waitMs: maxWaitMs }))
}

/** Uses a separate connection without the time limit of queries, because a migration can take longer. */
const withPatientConnection = async <T>(options: PostgresOptions, work: (db: Kysely<Database>) => Promise<T>): Promise<T> => {
  const db = new Kysely<Database>({ dialect: postgresDialect(options, { max: 1 }) })
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}

/** Returns the applied migrations. Throws the same errors as `openRelationalStore`. */
export const migrateRelational = (options: PostgresOptions, choice?: MigrationChoice): Promise<readonly string[]> =>
  withPatientConnection(options, db => migrateToLatest(db, choice))

/** Throws if the migrations cannot run. */
export const pendingRelational = (options: PostgresOptions, choice: MigrationChoice = {}): Promise<readonly string[]> =>
  withPatientConnection(options, db => checkMigrations(db as unknown as Kysely<unknown>, choice))

const claim = (directory: string): (() => void) => {
  if (openDirectories.has(directory)) {
    throw new AppError('data_dir_locked', `The relational store in ${directory} is already open.`, { directory })
  }
  openDirectories.add(directory)
  return () => openDirectories.delete(directory)
}

interface Parts extends Pick<RelationalStore, 'kind' | 'exclusive' | 'changesOf'> {
  readonly dialect: ClassifyingDialect
  readonly release?: () => void
}

function storeOf({ kind, dialect, exclusive, changesOf, release }: Parts): RelationalStore {
  const db = new Kysely<Database>({ dialect })
  return {
    kind,
    db,
    exclusive,
    ...(changesOf !== undefined && { changesOf }),
    ping: async () => void (await sql`select 1`.execute(db)),
    async close() {
      await dialect.shut()
      release?.()
    },
  }
}

const openEmbedded = async (directory: string): Promise<RelationalStore> => {
  const release = claim(directory)
  try {
    const changes = createTableChanges()
    const store = storeOf({
      kind: 'embedded',
      dialect: await embeddedDialect(directory, changes),
      changesOf: changes.of,
      exclusive: (_, work) => work(),
      release,
    })
    await migrateToLatest(store.db).catch(async error => {
      await store.close()
      throw error
    })
    return store
  } catch (error) {
    release()
    throw error
  }
}

const openPostgres = async (options: PostgresOptions): Promise<RelationalStore> => {
  await migrateRelational(options, options.migrations)
  const pool = { max: options.maxConnections ?? defaultConnections, query_timeout: queryTimeoutMs }
  return storeOf({
    kind: 'postgres',
    dialect: postgresDialect(options, pool),
    exclusive: (name, work) => withPatientConnection(options, db => withServerLock(db, name, work)),
  })
}

/** Throws `relational_unavailable`, `migration_failed`, or `data_dir_locked`. */
export const openRelationalStore = (options: RelationalStoreOptions): Promise<RelationalStore> => {
  return options.kind === 'embedded' ? openEmbedded(resolve(options.directory)) : openPostgres(options)
}
