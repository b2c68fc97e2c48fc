import type { ColumnStore } from '@svc-server/column-store/port'
import { topicNames } from '@svc-server/modes/names'
import { sized, waitFor } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import { accountsOf, anew } from './accounts.ts'
import { eachTestHasItsWorld, world } from './each-world.ts'
import { type EntityType, entity, iso, onLog } from './entities.ts'
import { withInsert } from './kill.ts'
import { propagate, repair } from './propagate.ts'
import { now, type RunningWriter, spanBatch } from './world.ts'

eachTestHasItsWorld('before the test', { auditMs: 300, writeMode: 'dual' })

const { change } = accountsOf(() => world)
const { entities, staging, filled, direct } = topicNames
const day = 86_400_000

const saidOf = (type: EntityType, ms: number, traceId: string) =>
  type === 'trace' ? { timestamp: iso(ms) } : { startTime: iso(ms), traceId }

/** Returns two versions of an entity. In the second version, the entity starts a day earlier than in the first version. */
function versions(type: EntityType, id: string, atMs = now) {
  const first = entity(type, id, { body: saidOf(type, atMs, 'one'), at: 5 })
  const second = entity(type, id, { body: saidOf(type, atMs - day, 'other'), at: 1 }, first)
  return [first, second] as const
}

/** Publishes the entities as the merger does. */
async function publish(...all: readonly ReturnType<typeof entity>[]): Promise<void> {
  await world.log.append(
    entities,
    all.map(one => onLog(one)),
  )
  await world.log.append(
    staging,
    all.map(one => onLog(one)),
  )
}

async function run(columnStore: ColumnStore = world.columnStore): Promise<RunningWriter> {
  const writer = world.writer({ columnStore })
  await writer.service.start()
  await world.settled()
  expect(writer.bugs).toEqual([])
  return writer
}

const unaccounted = (writer: RunningWriter, topic?: string) =>
  writer.metric('svc_unaccounted_spans', topic === undefined ? undefined : `"${topic}"`)
const shows = (writer: RunningWriter, topic: string, items: number) =>
  waitFor(async () => (await unaccounted(writer, topic)) === items, { what: `the gauge of ${topic} to show ${items}`, timeoutMs: 120_000 })

/** Starts a new writer after the test has changed a table. The old writer's audit would not look up a row that it has already checked. */
async function anewFrom(writer: RunningWriter): Promise<RunningWriter> {
  await writer.service.drain()
  await world.columnStore.command('TRUNCATE TABLE ingest_audit')
  return run()
}

test('spans and entities in dual mode, with moves, repairs, dead letters, compaction and restarts, never raise an alarm', async () => {
  let writer = await run()
  const seen = new Set<number>()
  let busy = true
  const watch = async () => {
    while (busy) {
      seen.add(await unaccounted(writer))
      await new Promise(resolve => setTimeout(resolve, sized(20, 100)))
    }
  }
  const watching = watch()
  for (let round = 0; round < sized(4, 3); round++) {
    await world.append(direct, spanBatch({ count: 5, writeMode: 'dual' }))
    await world.append(staging, spanBatch({ count: 3, writeMode: 'dual' }))
    // Each round publishes one trace and one observation again. It also publishes a new trace and a new observation.
    for (const id of ['moves', `new ${round}`]) await publish(...versions('trace', id), ...versions('observation', id))
    await propagate(world.log, {}, { repairs: round % 2 === 1 })
    if (round === 1) {
      // Adds entities that started ten years ago. This is too old for every table, so the writer must dead-letter the entities. Also adds a
      // record that the writer cannot read.
      const years = now - 3_650 * day
      await publish(
        entity('trace', 'old', { body: { timestamp: iso(years) } }),
        entity('observation', 'old', { body: { startTime: iso(years) } }),
      )
      await world.log.append(entities, [{ key: Buffer.from('k'), value: Buffer.from('no record of ours'), partition: 0 }])
      await propagate(world.log)
    }
    if (round === 2) {
      await writer.service.drain()
      writer = await run()
    }
    await world.settled()
    await world.log.maintain()
  }
  // Compaction has removed the superseded records.
  const { records, nextOffset } = await world.log.read(entities, 0, 0, 1e9)
  expect(records.length).toBeLessThan(nextOffset)
  writer = await anewFrom(writer)
  const audits = async () =>
    Math.min(await writer.metric('svc_ledger_audits_total', 'done'), await writer.metric('svc_row_audits_total', 'done'))
  const enough = sized(6, 3)
  await waitFor(async () => (await audits()) >= enough, { what: `${enough} audits`, timeoutMs: 120_000 })
  busy = false
  await watching
  expect([...seen]).toEqual([0])
  const report = await world.check()
  expect(report).toMatchObject({ conserved: true, atRest: true, findings: [] })
  expect((await world.deadLetters()).map(({ topic, index }) => `${topic} ${index}`).sort()).toEqual([
    `${entities} 0`,
    `${entities} 0`,
    `${entities} null`,
    `${filled} 0`,
    `${filled} 0`,
  ])
  const ofFilled = report.partitions.find(({ topic, records: count }) => topic === filled && count > 0)!
  expect(ofFilled).toMatchObject({ entities: ofFilled.ledgerSpans - ofFilled.spans, missing: 0 })
  expect(report.keyed.find(({ topic }) => topic === entities)).toMatchObject({ entities: records.length, deadLettered: 3, missing: 0 })
})

describe('a loss shows in the gauge and in the check until the row is restored', () => {
  const isDeleted = 'is_deleted = 1'
  const losses: readonly (readonly [string, string, string, string, number])[] = [
    ['a row of traces', 'traces', 'is_deleted = 0', entities, 1],
    ['a row of observations', 'observations', "is_deleted = 0 AND id = 'it'", entities, 1],
    ['a tombstone of observations, while the old row is live', 'observations', isDeleted, entities, 1],
    ['a tombstone of traces, while the old row is live', 'traces', isDeleted, entities, 1],
    ['a virtual root in events_core', 'events_core', "span_id = 't-it' AND is_deleted = 0", filled, 1],
    ['a virtual root', 'events_full', "span_id = 't-it' AND is_deleted = 0", filled, 1],
    ['a tombstone of an observation in its former trace', 'events_full', `span_id = 'it' AND ${isDeleted}`, filled, 1],
  ]
  // `npm test` runs this test with only one of these losses, because the tests of libs/conservation cover the other losses.
  test.each(sized(losses, losses.slice(2, 3)))('%s', async (_, table, where, topic, items) => {
    await world.append(staging, spanBatch({ count: 3, writeMode: 'dual' }))
    const [trace, moved] = versions('trace', 'it')
    const [observation, movedToo] = versions('observation', 'it')
    await publish(trace, observation)
    await propagate(world.log)
    const first = await run()
    // Copies the present rows. Tombstones later hide these rows. For every table except `events_full`, the test then inserts the copies
    // into the same table.
    await world.columnStore.command(`CREATE TABLE older ENGINE = Log AS SELECT * FROM ${table}`)
    await publish(moved, movedToo)
    await propagate(world.log)
    await world.settled()
    await first.service.drain()
    await world.columnStore.command(`CREATE TABLE kept ENGINE = Log AS SELECT * FROM ${table} WHERE ${where}`)
    await change(table, `DELETE WHERE ${where}`)
    if (table !== 'events_full') await world.columnStore.command(`INSERT INTO ${table} SELECT * FROM older ${anew()}`)
    await world.columnStore.command('TRUNCATE TABLE ingest_audit')
    const writer = await run()
    await shows(writer, topic, items)
    const { conserved, findings } = await world.check()
    expect(conserved).toBe(false)
    const unit = 'entities'
    expect(findings).toMatchObject([{ kind: 'missing', topic, unit, spans: items, table: table === 'events_core' ? 'events_full' : table }])
    await world.columnStore.command(`INSERT INTO ${table} SELECT * FROM kept ${anew()}`)
    await shows(writer, topic, 0)
    expect(await world.check()).toMatchObject({ conserved: true, findings: [] })
  })

  test('an entity of spans.filled is acknowledged but never inserted', async () => {
    await publish(entity('trace', 'it', { body: { timestamp: iso(now) } }))
    await propagate(world.log)
    const losing = withInsert(
      world.columnStore,
      async request => (request.table === 'events_full' ? undefined : world.columnStore.insert(request)) as never,
    )
    const first = await run(losing)
    await shows(first, filled, 1)
    await shows(first, staging, 1)
    expect((await world.check()).findings).toMatchObject([
      { kind: 'missing', topic: filled, unit: 'entities', spans: 1, table: 'events_full' },
    ])
  })

  test('an entity is staged but never published, and a repair never arrives', async () => {
    await world.append(staging, spanBatch({ count: 3, writeMode: 'dual' }))
    await publish(entity('trace', 'it', { body: { timestamp: iso(now) } }))
    await propagate(world.log, { filled: (record, offset) => (offset === 1 ? [] : [record]) })
    await repair(world.log, { partition: 0, offset: 0, generation: 1, number: 1 })
    const writer = await run()
    await shows(writer, staging, 1)
    expect((await world.check()).findings).toMatchObject([
      { kind: 'ledger_handover', unit: 'items', spans: 1 },
      { kind: 'unpublished', topic: staging, unit: 'items', first: 1, last: 1, spans: 1 },
    ])
  })

  const ledgers: readonly (readonly [string, string, readonly string[]])[] = [
    [filled, 'events_full', ['ledger_handover', 'ledger_gap']],
    [entities, 'traces', ['ledger_gap']],
    [entities, 'observations', ['ledger_gap']],
  ]
  test.each(sized(ledgers, ledgers.slice(0, 1)))('the ledger row of %s for %s is missing', async (topic, table, kinds) => {
    const writer = world.writer({ config: { chunkMaxRows: 1 } })
    await writer.service.start()
    for (const id of ['one', 'two', 'three']) await publish(entity('trace', id, { body: { timestamp: iso(now) } }))
    await propagate(world.log)
    await world.settled()
    await writer.service.drain()
    await change('ingest_ledger', `DELETE WHERE topic = '${topic}' AND destination = '${table}' AND first_offset = 1`)
    const next = await run()
    await shows(next, topic, 1)
    const { findings } = await world.check()
    expect(findings.map(({ kind }) => kind)).toEqual(kinds)
    expect(findings.at(-1)).toMatchObject({ topic, first: 1, last: 1, spans: 1 })
  })
})
