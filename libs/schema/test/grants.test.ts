// The user has the grants from v3's documentation. The check must report the grants that this user lacks.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { missingGrants, requiredGrants } from '../src/migrations/grants.ts'
import { migrateColumnStore } from '../src/migrations/migrate.ts'
import type { ColumnStorePort } from '../src/migrations/port.ts'
import { type Engine, openEngine } from './engine.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine({
    grants: [
      'GRANT CREATE DATABASE ON *.*',
      'GRANT SELECT, INSERT, ALTER UPDATE, ALTER DELETE, CREATE TABLE, CREATE VIEW, DROP TABLE ON svc.*',
    ],
  })
  await engine.command('CREATE DATABASE svc')
})
afterAll(() => engine.close())

const missing = (clustered: boolean) =>
  migrateColumnStore(engine, { database: 'svc', clustered }).then(
    (): readonly string[] => [],
    (error: Error & { reason: string }) => {
      expect(error).toMatchObject({ name: 'MigrationError', reason: 'missing_grants' })
      return [...error.message.matchAll(/GRANT .*?;/g)].map(([statement]) => statement)
    },
  )

test('missing grants are reported as the statements that give them, and no statement runs', async () => {
  expect(await missing(false)).toMatchInlineSnapshot(`
    [
      "GRANT ALTER ADD COLUMN ON \`svc\`.* TO \`default\`;",
      "GRANT ALTER MODIFY COLUMN ON \`svc\`.* TO \`default\`;",
      "GRANT ALTER DROP COLUMN ON \`svc\`.* TO \`default\`;",
      "GRANT ALTER COMMENT COLUMN ON \`svc\`.* TO \`default\`;",
      "GRANT ALTER ADD INDEX ON \`svc\`.* TO \`default\`;",
      "GRANT ALTER DROP INDEX ON \`svc\`.* TO \`default\`;",
      "GRANT ALTER MATERIALIZE INDEX ON \`svc\`.* TO \`default\`;",
      "GRANT ALTER ORDER BY ON \`svc\`.* TO \`default\`;",
      "GRANT ALTER SETTINGS ON \`svc\`.* TO \`default\`;",
    ]
  `)
  expect(await engine.query("SELECT name FROM system.tables WHERE database = 'svc'")).toEqual([])
})

test('a cluster needs additional grants', async () => {
  const ofOneNode = await missing(false)
  expect((await missing(true)).filter(statement => !ofOneNode.includes(statement))).toMatchInlineSnapshot(`
    [
      "GRANT READ ON REMOTE TO \`default\`;",
    ]
  `)
})

// Every user of the embedded engine can read system tables and use clusters. On a server, a user needs one grant for system tables and one
// grant for clusters.
test('a server without any grant gets all of them as statements, one per privilege', async () => {
  const strict: ColumnStorePort = { ...engine, ask: async () => '0\n', query: async <Row>() => [{ user: 'svc' }] as Row[] }
  const grants = requiredGrants({ database: 'svc', clustered: true })
  const statements: readonly string[] = await missingGrants(strict, grants)
  for (const of of ['system.parts', 'system.mutations', 'system.tables']) {
    expect(statements.filter(statement => statement.includes(` ON ${of} `))).toEqual([
      expect.stringMatching(/^GRANT SELECT\([a-z_, ]+\) ON /),
    ])
  }
  expect(statements).toContain('GRANT SELECT ON system.query_log* TO `svc`;')
  expect(statements).toContain('GRANT READ ON REMOTE TO `svc`;')
  expect(statements).toContain('GRANT CLUSTER ON *.* TO `svc`;')
  expect(statements).toContain('GRANT DROP VIEW ON `svc`.* TO `svc`;')
  expect(new Set(statements).size).toBe(statements.length)
})
