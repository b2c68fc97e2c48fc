// The tests use data that clients send only by accident, such as empty ids, very long ids, and many rows with equal times.
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isExact } from '../src/verify.ts'
import { insert } from './load.ts'
import { createWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const long = 'x'.repeat(60_000)
const border = Date.parse('2026-09-01T00:00:00Z')
const day = 86_400_000

const observation = (id: string, trace_id: string, start_time: number, more: object = {}) => ({
  ...{ id, trace_id, project_id: 'p', type: 'SPAN', start_time, event_ts: start_time + 5, is_deleted: 0, name: 'o' },
  ...more,
})
const trace = (id: string, timestamp: number, more: object = {}) => ({
  ...{ id, project_id: 'p', timestamp, event_ts: timestamp + 5, is_deleted: 0, name: 't' },
  ...more,
})

test('rows of hostile shapes are each written once, and the proof succeeds', async () => {
  const { columnStore, relational } = world
  await insert(world, 'traces', [
    trace(`${long}1`, border),
    trace(`${long}2`, border),
    ...[trace('', border + 1), trace('same', border), trace('alone', border - 40 * day), trace('t-t', border)],
  ])
  await insert(world, 'traces', [trace('same', border, { name: 'the last one of its time' })])
  await insert(world, 'observations', [
    ...['1', '2'].map(end => observation(`${long}${end}`, `${long}${end}`, border, { parent_observation_id: long })),
    ...[observation('', '', border), observation('self', 'same', border, { parent_observation_id: 'self' })],
    ...[observation('last', 'same', border - 1), observation('first', 'same', border), observation('t', 't-t', border)],
    ...[observation('typed', 'same', border + 7), observation('moved', 'same', border + 7)],
    ...[observation('typed', 'same', border + 7, { type: 'GENERATION', event_ts: border + 99 })],
    ...[observation('moved', 'same', border + 2 * day, { event_ts: border + 2 * day })],
    ...[observation('lonely', 'without', border - 1), observation('lonely-2', 'without', border)],
  ])
  await insert(world, 'observations', [observation('first', 'same', border, { name: 'the last one of its time' })])
  await insert(world, 'dataset_run_items_rmt', [
    {
      ...{ id: 'i', project_id: 'p', dataset_id: 'd', dataset_run_id: 'r', dataset_run_name: 'r', dataset_item_id: 'di' },
      ...{ trace_id: 't-t', observation_id: null, created_at: border, event_ts: border, is_deleted: 0 },
    },
  ])
  // The live path wrote this row. The row starts in the last microsecond of the month.
  await columnStore.command(
    `INSERT INTO events_full (project_id, trace_id, span_id, parent_span_id, start_time, event_ts, source)
     VALUES ('p', 'same', 'last', 't-same', fromUnixTimestamp64Micro(toInt64(${border * 1000 - 1})), now64(6), 'otel')`,
  )
  await sql`insert into organizations (id, name) values ('o', 'Org')`.execute(relational.db)
  await sql`insert into projects (id, org_id, name) values ('p', 'o', 'p')`.execute(relational.db)
  await sql`insert into pending_deletions (id, project_id, object, object_id)
    select 'deletion-' || n, 'p', 'trace', 'an id of a trace that is as long as ids are, ' || n from generate_series(1, 4000) as n`.execute(
    relational.db,
  )

  const end = await world.run({ limits: { maxRows: 2, maxBytes: 1 << 20 }, onFailure: (_, __, error) => console.error(error) })
  expect(end.kind === 'failed' ? end.reason.slice(-500) : end.kind).toBe('gated')
  const proof = await world.verify()
  expect(proof.total).toSatisfy(isExact)
  const rows = await columnStore.query<{ span: string; name: string; parent: string }>(
    `SELECT span_id AS span, name, parent_span_id AS parent FROM events_full WHERE source LIKE '%-backfill' AND length(span_id) < 100 ORDER BY span`,
  )
  const of = (span: string) => rows.filter(row => row.span === span)
  expect(of('first')).toEqual([{ span: 'first', name: 'the last one of its time', parent: 't-same' }])
  expect(of('t-same')).toMatchObject([{ name: 'the last one of its time' }])
  expect(
    ['last', '', 't-', 'self', 'typed', 'moved', 't-alone', 't-without', 'lonely', 'lonely-2', 't-t-t'].map(span => of(span).length),
  ).toEqual([0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
  const [{ long: longRows }] = (await columnStore.query<{ long: string }>(
    `SELECT count() AS long FROM events_full WHERE length(span_id) > 100`,
  )) as [{ long: string }]
  expect(Number(longRows)).toBe(4)
})
