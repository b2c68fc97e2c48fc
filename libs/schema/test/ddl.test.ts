import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDialect } from '../src/dialect.ts'
import { checksumOf, type ListName, type Migration, migrationLists, ownMigrations, sharedMigrations } from '../src/migrations/list.ts'
import { type Engine, openEngine } from './engine.ts'

const clustered = createDialect({ database: 'svc', clustered: true, clusterName: '{cluster}' })
const singleNode = createDialect({ database: 'svc', clustered: false })
const lists = Object.entries(migrationLists) as readonly (readonly [ListName, readonly Migration[]])[]

const script = (direction: 'up' | 'down', isClustered: boolean) =>
  lists
    .flatMap(([list, migrations]) =>
      migrations.map(m => {
        const statements = m[direction](isClustered ? clustered : singleNode)
        return `-- ${list} ${m.version} ${m.name}\n${statements.map(statement => `${statement};\n`).join('')}`
      }),
    )
    .join('\n')

// No test can run the DDL of a cluster. A developer must therefore review the text when it changes.
test.each(['up', 'down'] as const)('clustered, %s', async direction => {
  await expect(script(direction, true)).toMatchFileSnapshot(`fixtures/clustered.${direction}.sql`)
})

test.each(['up', 'down'] as const)('single node, %s', async direction => {
  await expect(script(direction, false)).toMatchFileSnapshot(`fixtures/single-node.${direction}.sql`)
})

test('the two forms differ in engines, ON CLUSTER and durability only', () => {
  const neutral = (text: string) =>
    text
      .replaceAll(" ON CLUSTER '{cluster}'", '')
      .replaceAll(/Replicated(\w*MergeTree)/g, '$1')
      .replaceAll(/(MODIFY|RESET) SETTING .*/g, '$1 SETTING')
      .split('\n')
      .filter(line => !/^ {2}(fsync_\w+|(non_)?replicated_deduplication_window(_seconds)?) = \d+,?;?$/.test(line))
      .map(line => line.replace(/[,;]$/, ''))
  for (const direction of ['up', 'down'] as const) expect(neutral(script(direction, true))).toEqual(neutral(script(direction, false)))
})

const everyStatement = () => lists.flatMap(([, migrations]) => migrations.flatMap(m => [...m.up(clustered), ...m.down(clustered)]))

test('in a cluster every statement runs on all servers and may run twice', () => {
  for (const statement of everyStatement()) {
    expect(statement).toContain(" ON CLUSTER '{cluster}'")
    expect(statement).toMatch(/IF (NOT )?EXISTS|(MODIFY|RESET) SETTING/)
  }
})

let engine: Engine
beforeAll(async () => {
  engine = await openEngine()
})
afterAll(() => engine.close())

test('the engine can parse every statement of a cluster, though the tests run none of them', async () => {
  for (const statement of everyStatement()) await expect(engine.command(`EXPLAIN AST ${statement}`), statement).resolves.toBeDefined()
  await expect(engine.command("EXPLAIN AST CREATE TABLE t ON CLUSTERS 'default' (a UInt8)")).rejects.toThrow('SYNTAX_ERROR')
})

test('a released migration never changes', () => {
  const checksums = (migrations: readonly Migration[]) => Object.fromEntries(migrations.map(m => [m.version, checksumOf(m)]))
  expect(
    { shared: checksums(sharedMigrations), own: checksums(ownMigrations) },
    'Write the checksum of a new migration with -u. A released migration must keep its text: services refuse to start on databases with a different checksum. Restore the migration’s text, and add a new migration with the difference.',
  ).toMatchSnapshot()
})

test('versions follow each other without a gap, so that reverting one leads to the version below', () => {
  expect(sharedMigrations.map(m => m.version)).toEqual([37, 38, 39, 40, 41, 42, 43, 44, 45, 46])
  expect(ownMigrations.map(m => m.version)).toEqual(ownMigrations.map((_, i) => i + 1))
})
