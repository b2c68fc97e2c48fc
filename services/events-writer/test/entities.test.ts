import { createObservationRows } from '@svc-server/entities/rows/observation'
import { traceRows, virtualRootRows } from '@svc-server/entities/rows/trace'
import { topicNames } from '@svc-server/modes/names'
import { CatalogLookup } from '@svc-server/observations/catalog-lookup'
import { shippedModels } from '@svc-server/pricing/shipped-models'
import { type CatalogSnapshot, catalogSnapshot } from '@svc-server/pricing/snapshot'
import { eventsColumns } from '@svc-server/schema/events/columns'
import { observationsColumns, tracesColumns } from '@svc-server/schema/old-tables/columns'
import { sized } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import { eachTestHasItsWorld, world } from './each-world.ts'
import { entity, type Fill, iso, onLog, reread } from './entities.ts'
import { shownAs } from './shown-row.ts'
import { now, spanBatch } from './world.ts'

eachTestHasItsWorld()

const { entities, filled, staging } = topicNames
const hour = 3_600_000
const day = 24 * hour
const catalog: CatalogSnapshot = catalogSnapshot({
  models: shippedModels(),
  prompts: [{ id: 'prompt-1', projectId: 'project-1', name: 'p', version: 2 }],
})

type Entity = ReturnType<typeof entity>

async function put(topic: string, ...list: readonly (readonly [Entity, Fill?])[]): Promise<void> {
  await world.log.append(
    topic,
    list.map(([of, fill]) => onLog(of, fill)),
  )
}

async function store() {
  const writer = world.writer({ catalog })
  await writer.service.start()
  await world.settled()
  expect(writer.bugs).toEqual([])
  await writer.service.drain()
  return writer
}

const rowsIn = (table: string, order: string) =>
  world.columnStore.query<Record<string, unknown>>(`SELECT * FROM ${table} FINAL ORDER BY ${order}`)
const raw = async (table: string) => Number((await world.columnStore.query<{ n: string }>(`SELECT count() AS n FROM ${table}`))[0]!.n)

/** Reads the table as v3 does: the newest version of each key, without tombstones. */
const asV3 = (table: 'traces' | 'observations', time: string) =>
  world.columnStore.query<Record<string, unknown>>(
    `SELECT id, name, toString(time) AS time FROM (
       SELECT id, name, ${time} AS time, is_deleted FROM ${table} WHERE project_id = 'project-1'
       ORDER BY event_ts DESC LIMIT 1 BY project_id, id, toDate(${time})${table === 'observations' ? ', type' : ''}
     ) WHERE is_deleted = 0 ORDER BY id`,
  )

async function ledger() {
  const rows = await world.columnStore.query<{ destination: string; spans: string; rows: string; dead: string }>(
    `SELECT destination, sum(ingest_ledger.spans) AS spans, sum(ingest_ledger.rows) AS rows, sum(dead_lettered) AS dead
     FROM ingest_ledger FINAL GROUP BY destination ORDER BY destination`,
  )
  return Object.fromEntries(rows.map(({ destination, spans, rows: stored, dead }) => [destination, [spans, stored, dead].map(Number)]))
}

const trace = entity('trace', 'trace-1', {
  body: {
    timestamp: iso(now),
    name: 'chat',
    userId: 'alice',
    sessionId: 'session',
    release: 'r',
    version: 'v',
    tags: ['b', 'a'],
    public: true,
    environment: 'production',
    metadata: { text: 'a', nested: { x: [1] }, number: 1.5, flag: true },
    input: { role: 'user', content: 'hi \u0000 \u{1f600}' },
    output: 'yes',
  },
})
const generation = entity('observation', 'observation-1', {
  type: 'generation-create',
  body: {
    traceId: 'trace-1',
    name: 'answer',
    startTime: iso(now),
    endTime: iso(now + 1234),
    completionStartTime: iso(now + 7),
    model: 'gpt-4o',
    modelParameters: { temperature: 0.5 },
    level: 'WARNING',
    statusMessage: 'slow',
    parentObservationId: 'observation-0',
    version: 'v',
    environment: 'production',
    promptName: 'p',
    promptVersion: 2,
    metadata: { k: { x: 1 } },
    input: { messages: [{ role: 'user', content: 'hi' }], tools: [{ type: 'function', function: { name: 'f', parameters: {} } }] },
    output: { tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }] },
    usage: { input: 3, output: 2, totalCost: 0.25 },
  },
})
const counted = entity('observation', 'observation-2', {
  type: 'generation-create',
  body: { startTime: iso(now + 5), model: 'gpt-4o', input: 'how many tokens', output: 'some' },
})
const all = [trace, generation, counted]

const lookup = new CatalogLookup()
lookup.use(catalog)
const made = createObservationRows(lookup)

test('every column of every table has the value that libs/entities computes from the record', async () => {
  const fill = { traceAttributes: { name: 'chat', userId: 'alice', tags: ['x'], public: true }, rootSpanId: null, generation: 2 }
  await put(entities, ...all.map(of => [of] as const))
  await put(filled, ...all.map(of => [of, fill] as const))
  await store()
  const asRead = all.map(of => reread(onLog(of, fill).value!))
  expect(await rowsIn('traces', 'id')).toEqual(traceRows(trace).map(shownAs(tracesColumns)))
  expect(await rowsIn('observations', 'id')).toEqual([generation, counted].flatMap(made.old).map(shownAs(observationsColumns)))
  const events = asRead.flatMap(of => (of.entityType === 'trace' ? virtualRootRows(of) : made.events(of)))
  expect(await rowsIn('events_full', "startsWith(span_id, 't-') DESC, span_id")).toEqual(events.map(shownAs(eventsColumns)))
  const [priced, tokens] = await rowsIn('observations', 'id')
  expect(priced).toMatchObject({ prompt_id: 'prompt-1', usage_details: { input: '3', output: '2', total: '5' }, total_cost: 0.25 })
  expect(Number((tokens!['usage_details'] as Record<string, string>)['input'])).toBeGreaterThan(0)
})

describe('an entity that has moved', () => {
  const began = (id: string, ms: number) => ({ trace: { timestamp: iso(ms) }, observation: { startTime: iso(ms), traceId: id } })
  const steps = [now, now - 3 * day, now - 3 * day - hour, now - 40 * day]
  function versions(type: 'trace' | 'observation'): readonly Entity[] {
    const list: Entity[] = []
    for (const [at, ms] of steps.entries()) {
      const told = { body: { name: `v${at}`, ...began('trace-1', ms)[type] }, at: -at }
      list.push(entity(type, `${type}-1`, told, list.at(-1) ?? null))
    }
    return list
  }

  const orders: readonly (readonly [string, readonly number[]])[] = [
    ['the newest first', [3, 0, 2, 1]],
    ['the newest alone, after compaction removed the others', [3]],
    ['in order', [0, 1, 2, 3]],
    ['each twice', [0, 0, 1, 1, 2, 2, 3, 3]],
  ]
  test.each(sized(orders, orders.slice(0, 2)))('leaves no live row at its old key: %s', async (_, order) => {
    for (const type of ['trace', 'observation'] as const) {
      const list = versions(type)
      for (const at of order) {
        await put(entities, [list[at]!])
        await put(filled, [list[at]!, {}])
      }
    }
    await store()
    const last = '2026-10-12 12:00:00.000'
    for (const [table, time] of [
      ['traces', 'timestamp'],
      ['observations', 'start_time'],
    ] as const) {
      expect(await rowsIn(table, 'id')).toMatchObject([{ name: 'v0', [time]: last }])
      expect(await asV3(table, time)).toMatchObject([{ name: 'v0', time: last }])
    }
    for (const table of ['events_full', 'events_core']) {
      expect(await rowsIn(table, 'span_id')).toMatchObject([
        { span_id: 'observation-1', start_time: `${last}000` },
        { span_id: 't-trace-1', start_time: `${last}000` },
      ])
    }
  })
})

test('a later version wins in any order of storage, and a repair of the fill-in wins only over the version that it repairs', async () => {
  const first = entity('observation', 'observation-1', { body: { name: 'first', startTime: iso(now), traceId: 'trace-1' } })
  const second = entity('observation', 'observation-1', { body: { name: 'second', startTime: iso(now) }, at: 1 }, first)
  await put(entities, [second])
  await put(filled, [second, { traceAttributes: { userId: 'second' } }])
  await store()
  await put(entities, [first])
  await put(filled, [first, { traceAttributes: { userId: 'first, repaired' }, generation: 5 }])
  await store()
  expect(await rowsIn('observations', 'id')).toMatchObject([{ name: 'second' }])
  expect(await rowsIn('events_full', 'span_id')).toMatchObject([{ name: 'second', user_id: 'second' }])
  await put(filled, [second, { traceAttributes: { userId: 'second, repaired' }, generation: 1 }])
  await store()
  expect(await rowsIn('events_core', 'span_id')).toMatchObject([{ name: 'second', user_id: 'second, repaired' }])
})

test('a repeated record changes nothing that readers see', async () => {
  await put(entities, ...all.map(of => [of] as const))
  await put(filled, ...all.map(of => [of, {}] as const))
  await store()
  const read = async () => [await rowsIn('traces', 'id'), await rowsIn('observations', 'id'), await rowsIn('events_full', 'span_id')]
  const before = await read()
  await put(entities, ...all.map(of => [of] as const))
  await put(filled, ...all.map(of => [of, {}] as const))
  await store()
  expect(await read()).toEqual(before)
  expect(await raw('observations')).toBe(4)
})

test('a staged entity becomes neither a row nor a dead letter', async () => {
  await world.append(staging, spanBatch({ count: 3, writeMode: 'dual' }))
  await put(staging, [trace], [generation])
  await store()
  expect([await raw('traces'), await raw('observations'), await raw('events_full')]).toEqual([0, 3, 0])
  expect(await world.deadLetters()).toEqual([])
  expect(await ledger()).toEqual({ observations: [3, 3, 0] })
})

test('an entity that only other records mention is counted as an item without a row', async () => {
  const known = { ...trace, state: { ...trace.state, firstMs: null, fields: new Map(), legacyChild: true } }
  await put(entities, [known], [generation])
  await put(filled, [known, {}], [generation, {}])
  await store()
  expect([await raw('traces'), await raw('observations'), await raw('events_full')]).toEqual([0, 1, 1])
  expect(await ledger()).toEqual({ events_full: [2, 2, 0], observations: [2, 2, 0], traces: [2, 2, 0] })
})

test('a record that is unreadable, or whose entity began out of range, becomes one dead letter; all others are stored', async () => {
  const old = entity('trace', 'old', { body: { timestamp: iso(now - 9 * 366 * day) } })
  const noTime = entity('observation', 'no time', { body: { startTime: iso(now) } })
  const by = { atUs: 1, update: false, id: '', hash: '' }
  const damaged = { ...noTime, state: { ...noTime.state, fields: new Map([['startMs', { value: 'yesterday', by }]] as const) } }
  const whole = onLog(trace)
  await put(entities, [old], [damaged])
  await world.log.append(entities, [{ ...whole, value: whole.value!.subarray(0, 99) }])
  await put(entities, [generation], [trace])
  await store()
  expect((await rowsIn('traces', 'id')).map(({ id }) => id)).toEqual(['trace-1'])
  expect((await rowsIn('observations', 'id')).map(({ id }) => id)).toEqual(['observation-1'])
  const deadLetters = await world.deadLetters()
  expect(deadLetters.map(({ offset, index, reason, projectId }) => [offset, index, reason, projectId]).sort()).toEqual([
    [0, 0, 'start_time_range', 'project-1'],
    [1, null, 'record_undecodable', 'project-1'],
    [2, null, 'record_undecodable', null],
  ])
  expect(await ledger()).toEqual({ observations: [5, 3, 2], traces: [5, 3, 2] })
})

test('an entity with one refused row becomes one dead letter, and its stored row is not counted as an item', async () => {
  await world.columnStore.command("ALTER TABLE traces ADD CONSTRAINT refused CHECK NOT (is_deleted = 1 AND id = 'trace-1')")
  const before = entity('trace', 'trace-1', { body: { timestamp: iso(now), name: 'chat' } })
  const after = entity('trace', 'trace-1', { body: { timestamp: iso(now - 2 * day) }, at: -1 }, before)
  await put(entities, [after], [entity('trace', 'trace-2', { body: {} })])
  await store()
  expect((await world.deadLetters()).map(({ offset, index, reason }) => [offset, index, reason])).toEqual([[0, 0, 'store_refused']])
  expect(await raw('traces')).toBe(2)
  expect(await ledger()).toMatchObject({ traces: [2, 1, 1], observations: [2, 2, 0] })
})
