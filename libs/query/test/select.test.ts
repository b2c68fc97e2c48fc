// Tests queries on the real engine: how rows are decoded, and how a query is bounded (limits, deadline, signal). Some queries must not
// compile.
import { createColumnStore } from '@svc-server/column-store/client'
import type { ColumnStore } from '@svc-server/column-store/port'
import { type Engine, startEngine } from '@svc-server/embedded-engine'
import { eventsTypes } from '@svc-server/schema/events/columns'
import { type TemporaryDirectory, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest'
import { perSecond } from '../src/fields/expressions.ts'
import { fieldsOf, millis, numberField, textField } from '../src/sql/field.ts'
import { type Bounds, deadlineIn } from '../src/sql/scope.ts'
import { newestIn, read, select, type Table, versionsIn } from '../src/sql/select.ts'
import { sql, value, written } from '../src/sql/sql.ts'

const types = {
  project_id: 'String',
  at: 'DateTime64(6)',
  coarse: 'DateTime64(3)',
  ended: 'Nullable(DateTime64(6))',
  big: 'UInt64',
  small: 'Nullable(UInt16)',
  share: 'Float64',
  cost: 'Decimal(18, 12)',
  is_root: 'Bool',
  kind: 'LowCardinality(String)',
  tags: 'Array(LowCardinality(String))',
  usage: 'Map(LowCardinality(String), UInt64)',
  costs: 'Map(LowCardinality(String), Decimal(18, 12))',
  day: 'Date',
} as const
const columns = fieldsOf('t', types)
const table = { name: 't', columns, project: columns.project_id, time: columns.at, scale: 'Micro' } as const satisfies Table<
  't',
  typeof columns
>
const limits = { rows: 100, memoryBytes: 2 ** 29, readBytes: 2 ** 30 }
const bounds = (more: Partial<Bounds> = {}): Bounds => ({
  ...{ limits, deadline: deadlineIn(20, 'a test'), signal: undefined, comment: 'test' },
  ...more,
})
const everyTime = { everyTime: 'a test' }

let directory: TemporaryDirectory
let engine: Engine
let columnStore: ColumnStore
beforeAll(async () => {
  directory = await temporaryDirectory('svc-query-')
  engine = await startEngine({ dataDir: directory.path, port: 0, password: 'p' })
  columnStore = createColumnStore({ url: engine.url, user: 'svc', password: 'p', database: 'svc', requestTimeoutMs: 30_000 })
  const definitions = Object.entries(types).map(([name, type]) => `${name} ${type}`)
  await columnStore.command(`CREATE TABLE t (${definitions.join(', ')}) ENGINE = ReplacingMergeTree ORDER BY (project_id, at)`)
  const row = `'2026-01-02 03:04:05.123456', '2026-01-02 03:04:05.123', NULL, 18446744073709551615, 7, 0.1, 0.0105, true, 'k', ['a', 'ü'],
    {'in': 3}, {'total': 0.000000000001}, '2026-01-02'`
  for (const project of ['p', 'other']) await columnStore.command(`INSERT INTO t VALUES ('${project}', ${row})`)
  await columnStore.command(`INSERT INTO t VALUES ('p', ${row})`)
})
afterAll(async () => {
  await columnStore.close()
  await engine.stop()
  await directory.remove()
})

test('decodes each column type, only for the project and the newest version', async () => {
  const rows = await read(
    columnStore,
    select(newestIn(table, { project: 'p', time: everyTime }), { ...columns, ms: millis(columns.at) }),
    bounds(),
  )
  const at = BigInt(Date.UTC(2026, 0, 2, 3, 4, 5, 123)) * 1000n
  expect(rows).toEqual([
    {
      ...{
        project_id: 'p',
        at: at + 456n,
        ms: Number(at / 1000n),
        coarse: at,
        ended: null,
        big: 2 ** 64,
        small: 7,
        share: 0.1,
        cost: 0.0105,
      },
      ...{ is_root: true, kind: 'k', tags: ['a', 'ü'], usage: { in: 3 }, costs: { total: 1e-12 }, day: '2026-01-02' },
    },
  ])
  expectTypeOf(rows[0]!.at).toEqualTypeOf<bigint>()
  expectTypeOf(rows[0]!.ended).toEqualTypeOf<bigint | null>()
  expectTypeOf(rows[0]!.tags).toEqualTypeOf<readonly string[]>()
  expectTypeOf(rows[0]!.costs).toEqualTypeOf<Readonly<Record<string, number>>>()
  expectTypeOf(rows[0]!.is_root).toEqualTypeOf<boolean>()
})

test('a range includes its start and excludes its end', async () => {
  const at = BigInt(Date.UTC(2026, 0, 2, 3, 4, 5, 123)) * 1000n + 456n
  const count = async (from: bigint, to: bigint) => {
    const query = select(versionsIn(table, { project: 'p', time: { from, to } }), { n: numberField(sql`count()`) })
    return (await read(columnStore, query, bounds()))[0]?.n
  }
  expect([await count(at, at + 1n), await count(at - 1n, at), await count(at + 1n, at + 9n)]).toEqual([2, 0, 0])
})

test('binds values as parameters, and a repeated value once', () => {
  const given = value('String', "' OR 1 --", 'given')
  const query = sql`SELECT ${given}, ${given}, ${value('Array(String)', ['a'])}`
  expect(written(query)).toEqual({
    text: 'SELECT {given:String}, {given:String}, {p1:Array(String)}',
    params: { given: "' OR 1 --", p1: ['a'] },
  })
  expect(() => written(sql`${given} ${value('String', 'other', 'given')}`)).toThrow('has two values')
})

test('rejects a query that exceeds its limits or has no time left', async () => {
  const source = versionsIn(table, { project: 'p', time: everyTime })
  const overloaded = { code: 'column_store_overloaded' }
  const each = select(source, { kind: columns.kind })
  await expect(read(columnStore, each, bounds({ limits: { ...limits, rows: 1 } }))).rejects.toMatchObject(overloaded)
  await expect(read(columnStore, each, bounds({ limits: { ...limits, readBytes: 1 } }))).rejects.toMatchObject(overloaded)
  await expect(read(columnStore, each, bounds({ deadline: deadlineIn(0, 'a page') }))).rejects.toThrow('a page took longer than 0 seconds')
})

test('cancels a query in the store when its signal aborts, whatever its comment', async () => {
  const leave = new AbortController()
  const endless = {
    sql: sql`SELECT count() AS n FROM numbers(10000000000000) WHERE cityHash64(number) = 1`,
    fields: { n: numberField(sql`n`) },
  }
  const query = read(
    columnStore,
    endless,
    bounds({ signal: leave.signal, comment: 'an endless one', limits: { ...limits, readBytes: 2 ** 50 } }),
  )
  const outcome = query.catch((error: unknown) => error)
  const running = async () =>
    (
      await columnStore.query<{ n: string }>(
        "SELECT count() AS n FROM system.processes WHERE Settings['log_comment'] LIKE 'an endless one%'",
      )
    )[0]?.n
  await waitFor(async () => (await running()) === '1', { what: 'the query to run' })
  const reason = new Error('nobody waits for it')
  leave.abort(reason)
  expect(await outcome).toBe(reason)
  await waitFor(async () => (await running()) === '0', { what: 'the query to be cancelled' })
  await expect(read(columnStore, endless, bounds({ signal: leave.signal }))).rejects.toBe(reason)
})

test('the columns of the events tables have types, including columns that the store derives', () => {
  const events = fieldsOf('events_core', eventsTypes)
  expectTypeOf(events.cost_details.decode).returns.toEqualTypeOf<Readonly<Record<string, number>>>()
  expectTypeOf(events.calculated_total_cost.decode).returns.toEqualTypeOf<number>()
  expectTypeOf(events.end_time.decode).returns.toEqualTypeOf<bigint | null>()
  expect(events.tags.decode(['a'])).toEqual(['a'])
})

test('nothing per second is one value, whether the time is positive or negative', async () => {
  const rates = written(perSecond(sql`tokens`, sql`ms`)).text
  const [row] = await columnStore.query<object>(
    `SELECT toString(uniqExact(rate)) AS values, toString(max(rate)) AS highest
     FROM (SELECT ${rates} AS rate FROM (SELECT toUInt64(0) AS tokens, arrayJoin([5, -5, 0]) AS ms))`,
  )
  expect(row).toEqual({ values: '1', highest: '0' })
})

test('code with a query without bounds, a table without a scope, or a text as SQL does not compile', () => {
  const text: string = 'project_id'
  const neverRun = () => [
    // @ts-expect-error: a text that is not SQL.
    sql`SELECT ${text}`,
    // @ts-expect-error: no project.
    newestIn(table, { time: everyTime }),
    // @ts-expect-error: neither a range nor a reason.
    newestIn(table, { project: 'p', time: {} }),
    // @ts-expect-error: a table that is not limited to a project.
    select(table, { kind: columns.kind }),
    // @ts-expect-error: no bounds.
    read(columnStore, select(newestIn(table, { project: 'p', time: everyTime }), { kind: columns.kind })),
    // @ts-expect-error: no comment.
    bounds({ comment: undefined }),
    // @ts-expect-error: a value of another type.
    value('Array(String)', 'a'),
    textField(sql`'an expression of the source'`),
  ]
  expect(neverRun).toBeTypeOf('function')
})
