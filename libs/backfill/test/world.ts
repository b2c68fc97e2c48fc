// A test world has an engine with migrated tables, a relational store, and a backfill chain. The chain uses the engine and the store.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createColumnStore } from '@svc-server/column-store/client'
import type { ColumnStore } from '@svc-server/column-store/port'
import { type Engine, startEngine } from '@svc-server/embedded-engine'
import type { RelationalStore } from '@svc-server/relational/store'
import { openTestStore } from '@svc-server/relational/test-stores'
import { createDialect } from '@svc-server/schema/dialect'
import { migrateColumnStore } from '@svc-server/schema/migrations/migrate'
import { preparedDirectory, temporaryDirectory } from '@svc-server/testkit'
import { sql } from 'kysely'
import { type ChainEnd, type ChainOptions, runChain } from '../src/chain.ts'
import { type VerifyOptions, verifyAll } from '../src/verify.ts'

export interface World {
  readonly columnStore: ColumnStore
  readonly relational: RelationalStore
  readonly engine: Engine
  run(options?: Partial<ChainOptions>): Promise<ChainEnd>
  verify(of?: Pick<VerifyOptions, 'projectId' | 'month'>): ReturnType<typeof verifyAll>
  /** Empties the tables in `only`, or all tables if `only` is absent. The function then resets the backfill's steps. */
  reset(only?: readonly string[]): Promise<void>
  close(): Promise<void>
}

export const cutoffMs = Date.parse('2026-11-01T00:00:00Z')
/** This time is later than every change that a test makes. */
const settledMs = cutoffMs + 30 * 86_400_000
const password = 'test-password'

const connect = ({ url, user, database }: Engine) => createColumnStore({ url, user, password, database, requestTimeoutMs: 60_000 })

async function migrate(dataDir: string): Promise<void> {
  const engine = await startEngine({ dataDir, port: 0, password })
  const columnStore = connect(engine)
  await migrateColumnStore(columnStore, { database: engine.database, clustered: false })
  await columnStore.close()
  await engine.stop()
}

export async function createWorld(): Promise<World> {
  const directory = await temporaryDirectory('svc-backfill-')
  const dataDir = join(directory.path, 'engine')
  await preparedDirectory('engine', dataDir, migrate)
  const engine = await startEngine({ dataDir, port: 0, password })
  const relational = await openTestStore()
  const { database } = engine
  const columnStore = connect(engine)
  const dialect = createDialect({ database, clustered: false })
  return {
    columnStore,
    relational,
    engine,
    run: options =>
      runChain({
        relational,
        columnStore,
        dialect,
        owner: randomUUID(),
        limits: { maxRows: 1_000_000, maxBytes: 256 * 1024 * 1024 },
        isOpen: script => script !== 'dropPidTidSortingTables',
        findCutoff: async () => cutoffMs,
        settle: async () => {},
        clock: () => settledMs,
        pause: async () => {},
        sleep: ms => new Promise(resolve => setTimeout(resolve, Math.min(ms, 20))),
        ...options,
      }),
    verify: of =>
      verifyAll({ relational, columnStore, dialect, limits: { maxRows: 100, maxBytes: 1 << 30 }, sleep: async () => {}, ...of }),
    async reset(only) {
      const tables = await columnStore.query<{ name: string }>(
        `SELECT name FROM system.tables WHERE database = '${database}' AND engine LIKE '%MergeTree' AND name NOT LIKE '%migrations'`,
      )
      for (const { name } of tables) if (only?.includes(name) ?? true) await columnStore.command(`TRUNCATE TABLE ${name}`)
      await sql`delete from pending_deletions`.execute(relational.db)
      await sql`update background_migrations set state = '{}', worker_id = null, locked_at = null, finished_at = null, failed_at = null, failed_reason = null`.execute(
        relational.db,
      )
    },
    async close() {
      await columnStore.close()
      await engine.stop()
      await relational.close()
      await directory.remove()
    },
  }
}
