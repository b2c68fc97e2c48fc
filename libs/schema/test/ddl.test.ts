import { expect, test } from 'vitest'
import { createDialect } from '../src/dialect.ts'
import { checksumOf, columnStoreMigrations } from '../src/migrations/list.ts'

const script = (direction: 'up' | 'down', clustered: boolean) => {
  const dialect = createDialect({ database: 'svc', clustered, ...(clustered ? { clusterName: '{cluster}' } : {}) })
  return columnStoreMigrations.map(m => `-- ${m.version} ${m.name}\n${m[direction](dialect).join(';\n')};\n`).join('\n')
}

// What operators of a cluster get cannot be run here, so that its text is reviewed when it changes.
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
      .replaceAll('ReplicatedReplacingMergeTree', 'ReplacingMergeTree')
      .split('\n')
      .filter(line => !/^ {2}(fsync_\w+|(non_)?replicated_deduplication_window(_seconds)?) = \d+,?;?$/.test(line))
      .map(line => line.replace(/[,;]$/, ''))
  expect(neutral(script('up', true))).toEqual(neutral(script('up', false)))
})

test('in a cluster every statement runs everywhere', () => {
  const dialect = createDialect({ database: 'svc', clustered: true })
  for (const migration of columnStoreMigrations) {
    for (const statement of [...migration.up(dialect), ...migration.down(dialect)]) {
      expect(statement).toContain(" ON CLUSTER 'default'")
      expect(statement).toMatch(/IF (NOT )?EXISTS/)
    }
  }
})

test('a released migration never changes', () => {
  expect(
    Object.fromEntries(columnStoreMigrations.map(m => [m.version, checksumOf(m)])),
    'A database that has the old text would be refused at start. Leave the migration as it was and add a new one with the difference.',
  ).toMatchSnapshot()
})

test('versions ascend', () => {
  const versions = columnStoreMigrations.map(m => m.version)
  expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b))
})
