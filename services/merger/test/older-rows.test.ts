// Reads a row that the merger wrote, and turns the row back into one event. A row that is made from this event must have the same values.

import { createColumnStore } from '@svc-server/column-store/client'
import type { ColumnStore } from '@svc-server/column-store/port'
import { type Engine, startEngine } from '@svc-server/embedded-engine'
import { entityOfRecord, recordOf } from '@svc-server/entities/codec'
import { stateOfEvent } from '@svc-server/entities/event'
import { publishedAs } from '@svc-server/entities/merged'
import { mergedOfRow } from '@svc-server/entities/older-row'
import { createObservationRows } from '@svc-server/entities/rows/observation'
import { traceRows } from '@svc-server/entities/rows/trace'
import { joinStates, saidValue } from '@svc-server/entities/state'
import { CatalogLookup } from '@svc-server/observations/catalog-lookup'
import { createEnvironmentNames } from '@svc-server/observations/environment-name'
import { decodeIngestionEvent } from '@svc-server/schema/ingestion-event'
import { migrateColumnStore } from '@svc-server/schema/migrations/migrate'
import { type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOlderRows } from '../src/older-rows-query.ts'
import { ingestionRecord } from './events.ts'
import { startMs } from './spans.ts'

let directory: TemporaryDirectory
let engine: Engine
let store: ColumnStore

beforeAll(async () => {
  directory = await temporaryDirectory('svc-older-rows-')
  engine = await startEngine({ dataDir: directory.path, port: 0, password: 'test' })
  store = createColumnStore({ url: engine.url, user: 'svc', password: 'test', database: 'svc', requestTimeoutMs: 30_000 })
  await migrateColumnStore(store, { database: 'svc', clustered: false })
})
afterAll(async () => {
  await store?.close()
  await engine?.stop()
  await directory?.remove()
})

const environments = createEnvironmentNames({ prefixes: ['svc'] })
const observationRows = createObservationRows(new CatalogLookup())
const day = 86_400_000

const sql = (value: unknown): string => {
  if (value === null) return 'NULL'
  if (Array.isArray(value)) return `[${value.map(sql).join(', ')}]`
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
const times = new Set(['timestamp', 'start_time', 'end_time', 'completion_start_time', 'created_at', 'updated_at', 'event_ts'])
const maps = new Set(['metadata', 'provided_usage_details', 'usage_details', 'provided_cost_details', 'cost_details', 'tool_definitions'])

async function insert(table: string, row: object): Promise<void> {
  const columns = Object.entries(row)
  const values = columns.map(([name, value]) => {
    if (times.has(name)) return value === null ? 'NULL' : `fromUnixTimestamp64Milli(${value})`
    if (name === 'total_cost') return `toDecimal64(${Number(value) / 1e12}, 12)`
    if (!maps.has(name)) return sql(value)
    const money = name.includes('cost')
    return `map(${(value as [string, string | number][]).map(([key, amount]) => `${sql(key)}, ${money ? `toDecimal64(${Number(amount) / 1e12}, 12)` : sql(amount)}`).join(', ')})`
  })
  await store.command(`INSERT INTO ${table} (${columns.map(([name]) => name).join(', ')}) VALUES (${values.join(', ')})`)
}

const eventOf = (fields: Parameters<typeof ingestionRecord>[0]) => {
  const { record } = ingestionRecord(fields)
  return stateOfEvent(decodeIngestionEvent(record.value!), environments)
}

const trace = { projectId: "p'1", entityType: 'trace', entityId: 'trace\\1' } as const
const observation = { projectId: 'p', entityType: 'observation', entityId: 'o/1' } as const

const traceState = eventOf({
  ...trace,
  eventType: 'trace-create',
  eventId: 'e',
  atMs: startMs,
  body: {
    name: "it's",
    userId: 'u',
    tags: ['b', 'a'],
    metadata: { k: { x: 1 }, t: 'text' },
    public: true,
    input: { q: 'ü' },
    environment: 'production',
  },
})
const observationState = eventOf({
  ...observation,
  eventType: 'generation-create',
  eventId: 'e',
  atMs: startMs,
  body: {
    traceId: 't',
    name: 'n',
    startTime: new Date(startMs).toISOString(),
    endTime: new Date(startMs + 5).toISOString(),
    model: 'm',
    modelParameters: { temperature: 0.5 },
    usage: { input: 3, output: 4, inputCost: 0.25 },
    promptName: 'p',
    promptVersion: 2,
    output: 'out',
    level: 'ERROR',
  },
})

describe('a row of an old table', () => {
  test('gives back the values of a trace from the newest of its keys, without tombstones', async () => {
    const first = publishedAs(trace, null, traceState, startMs)
    const moved = joinStates(
      traceState,
      eventOf({
        ...trace,
        eventType: 'trace-create',
        eventId: 'x',
        atMs: startMs - 1,
        body: { timestamp: new Date(startMs - day).toISOString() },
      }),
    )
    for (const published of [first, publishedAs(trace, first, moved, startMs + 10)]) {
      for (const row of traceRows(entityOfRecord(recordOf(trace, null, published)))) await insert('traces', row)
    }
    const found = (await createOlderRows(store).find([trace, { ...trace, entityId: 'none' }])).get(
      `${trace.projectId}/trace/${trace.entityId}`,
    )!
    expect(found.root).toBe(null)
    const merged = mergedOfRow(trace, found.row!)
    expect(merged.versionMs).toBe(startMs + 10)
    const identity = entityOfRecord(recordOf(trace, null, merged))
    const [row] = traceRows({ ...identity, versionMs: 0 })
    expect(row).toEqual(traceRows({ ...identity, state: moved, retired: [], versionMs: 0 })[0])
  })

  test('gives back the values of an observation', async () => {
    const published = publishedAs(observation, null, observationState, startMs)
    const [row] = observationRows.old(entityOfRecord(recordOf(observation, null, published)))
    await insert('observations', row!)
    const found = (await createOlderRows(store).find([observation, trace])).get('p/observation/o/1')!
    const merged = mergedOfRow(observation, found.row!)
    const again = observationRows.old(entityOfRecord(recordOf(observation, null, merged)))[0]
    expect(again).toEqual(row)
    expect(saidValue(merged.state, 'cost')).toBe('[["input","0.25"]]')
  })

  test('keeps metadata names up to the length that events may have, in characters, however many bytes each takes', async () => {
    const [name, tooLong] = ['日'.repeat(16_383), 'k'.repeat(16_384)]
    const entity = { ...trace, entityId: 'long names' }
    const body = { metadata: { [name]: 1 } }
    const said = eventOf({ ...entity, eventType: 'trace-create', eventId: 'e', atMs: startMs, body })
    const [row] = traceRows(entityOfRecord(recordOf(entity, null, publishedAs(entity, null, said, startMs))))
    await insert('traces', { ...row!, metadata: [...(row!.metadata as [string, string][]), [tooLong, 'of an attribute']] })
    const [found] = (await createOlderRows(store).find([entity])).values()
    expect(found!.row!.metadata).toEqual({ [name]: '1' })
  })

  test('a parentless span among the events is the root of its trace', async () => {
    const events = [
      ["('p', 'tr', 'bb', '', fromUnixTimestamp64Micro(1795262400000002), fromUnixTimestamp64Micro(1795262400000002), 0)"],
      ["('p', 'tr', 'aa', '', fromUnixTimestamp64Micro(1795262400000001), fromUnixTimestamp64Micro(1795262400000001), 1)"],
      ["('p', 'tr', 't-tr', '', fromUnixTimestamp64Micro(1795262400000000), fromUnixTimestamp64Micro(1795262400000000), 0)"],
      ["('p', 'tr', 'cc', 'bb', fromUnixTimestamp64Micro(1795262400000000), fromUnixTimestamp64Micro(1795262400000000), 0)"],
    ].flat()
    await store.command(
      `INSERT INTO events_full (project_id, trace_id, span_id, parent_span_id, start_time, event_ts, is_deleted) VALUES ${events.join(', ')}`,
    )
    const entity = { projectId: 'p', entityType: 'trace', entityId: 'tr' } as const
    const found = await createOlderRows(store).find([entity])
    expect(found.get('p/trace/tr')).toEqual({ row: null, root: { startUs: 1795262400000002, spanId: 'bb' } })
  })

  test('is found under the longest ids that clients may choose', async () => {
    const long = Array.from({ length: 200 }, (_, at) => ({ ...observation, entityId: `${at}${"'".repeat(780)}ü` }))
    expect((await createOlderRows(store).find([...long, observation])).size).toBe(1)
  })

  test('waits for tables that do not exist yet', async () => {
    const elsewhere = createColumnStore({ url: engine.url, user: 'svc', password: 'test', database: 'svc', requestTimeoutMs: 30_000 })
    const absent = { query: <Row>(sql: string) => elsewhere.query<Row>(sql.replace('FROM observations', 'FROM not_there')) }
    const failure = createOlderRows(absent).find([observation])
    await expect(failure).rejects.toMatchObject({ code: 'column_store_unavailable', message: expect.stringContaining('do not exist yet') })
    await elsewhere.close()
  })

  test('is found among more entities than one query can name', async () => {
    const many = Array.from({ length: 450 }, (_, at) => ({ ...observation, entityId: `none ${at}` }))
    expect((await createOlderRows(store).find([...many, observation])).size).toBe(1)
  })
})
