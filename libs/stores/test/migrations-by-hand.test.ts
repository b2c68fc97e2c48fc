import type { ColumnStore } from '@svc-server/column-store/port'
import { type TestDatabase, testDatabase } from '@svc-server/dev-servers/test-database'
import { type Engine, startEngine } from '@svc-server/embedded-engine'
import { loadSettings } from '@svc-server/service/configuration'
import { createStores, type Needs, type Stores, storeProblems, storeSettings, storesOf } from '@svc-server/service/store'
import { type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tables } from '../src/column-store/tables.ts'
import { serverMigrations } from '../src/migrations-by-hand.ts'

const password = 'test-password'
const tools = { logger: { debug: () => {}, info: () => {}, warn: () => {} } as never, process: 'test' }

let directory: TemporaryDirectory
let engine: Engine
let database: TestDatabase
beforeAll(async () => {
  directory = await temporaryDirectory()
  ;[engine, database] = await Promise.all([startEngine({ dataDir: directory.path, port: 0, password }), testDatabase()])
})
afterAll(async () => {
  await engine.stop()
  await database.remove()
  await directory.remove()
})

function program(needs: Needs, env: Readonly<Record<string, string>> = {}): Stores {
  const named = storesOf(needs)
  const all = {
    COLUMNSTORE_URL: engine.url,
    COLUMNSTORE_USER: engine.user,
    COLUMNSTORE_PASSWORD: password,
    DATABASE_URL: database.url,
    ...env,
  }
  const settings = loadSettings(storeSettings(named), all, { service: 'test', validate: loaded => storeProblems(named, loaded) })
  return createStores({ settings, tools })
}

const tableCount = async (columnStore: ColumnStore) =>
  (await columnStore.query<{ name: string }>(`SELECT name FROM system.tables WHERE database = '${columnStore.database}'`)).length

test('opening migrates nothing, a start with migrations disabled names the command, and the start succeeds after migrating', async () => {
  const disabled = { SVC_AUTO_POSTGRES_MIGRATION_DISABLED: 'true', SVC_AUTO_COLUMNSTORE_MIGRATION_DISABLED: 'true' }
  const byHand = program({ serverMigrations })
  const migrations = await byHand.open(serverMigrations)
  const pending = await migrations.relational.pending({})
  expect(pending).toContain('0004-v3-shape')
  expect(await tableCount(migrations.columnStore)).toBe(0)
  await expect(migrations.exclusive(async () => {})).rejects.toMatchObject({ code: 'migration_failed' })

  const opened: Stores[] = [byHand]
  const start = (env: Readonly<Record<string, string>> = disabled) => {
    const stores = program({ tables }, env)
    opened.push(stores)
    return stores.open(tables)
  }
  const refused = { code: 'migration_failed', message: expect.stringContaining('run svc migrate up') }
  await expect(start()).rejects.toMatchObject(refused)
  expect(await migrations.relational.apply({})).toEqual(pending)
  await expect(start()).rejects.toMatchObject(refused)
  expect(await tableCount(migrations.columnStore)).toBe(0)

  expect(await tableCount(await start({}))).toBeGreaterThan(10)
  expect(await migrations.exclusive(async () => 'done')).toBe('done')
  expect(await tableCount(await start())).toBeGreaterThan(10)
  for (const stores of opened) await stores.close()
})

test.each(['the operator', 'a service'])('the native-protocol variables of v3 fail the program of %s with advice', who => {
  const needs: Needs = who === 'a service' ? { tables } : { serverMigrations }
  const native = { COLUMNSTORE_MIGRATION_URL: 'clickhouse://store:9000' }
  expect(() => program(needs, native)).toThrow('for example http://store:8123')
})
