import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventsColumns } from '../src/events/columns.ts'
import { metadataPairs } from '../src/events/ddl.ts'
import { insertSettings } from '../src/events/insert-settings.ts'
import { ledgerColumns } from '../src/ledger-table.ts'
import { migrateColumnStore } from '../src/migrations/migrate.ts'
import { type Engine, openEngine } from './engine.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine()
  await engine.command('CREATE DATABASE svc')
  await migrateColumnStore(engine, { database: 'svc', clustered: false })
})
afterAll(() => engine.close())

const names = eventsColumns.map(c => c.name)
const settings = Object.entries(insertSettings)
  .map(([name, value]) => `${name} = ${typeof value === 'string' ? `'${value}'` : value}`)
  .join(', ')

test('the list of columns equals the insertable columns of both tables, in order', async () => {
  for (const table of ['events_full', 'events_core']) {
    const rows = await engine.query<{ name: string; type: string }>(
      `SELECT name, type FROM system.columns WHERE database = 'svc' AND table = '${table}' AND default_kind NOT IN ('MATERIALIZED', 'ALIAS') ORDER BY position`,
    )
    expect(rows).toEqual(eventsColumns.map(({ name, type }) => ({ name, type: type.replace('DateTime64(6)', "DateTime64(6, 'UTC')") })))
  }
})

test('the ledger has exactly the listed columns', async () => {
  const rows = await engine.query(
    `SELECT name, type FROM system.columns WHERE database = 'svc' AND table = 'ingest_ledger' ORDER BY position`,
  )
  expect(rows).toEqual(ledgerColumns)
})

const row = (values: Record<string, string>) => {
  const entries = Object.entries(values)
  return `INSERT INTO svc.events_full (${entries.map(([k]) => k).join(', ')}) SELECT ${entries.map(([, v]) => v).join(', ')}`
}

test('derives values and cuts the texts of events_core', async () => {
  await engine.command(
    row({
      project_id: "'derived'",
      trace_id: "'t'",
      span_id: "'s'",
      start_time: "toDateTime64('2026-11-21 12:00:00.123456', 6, 'UTC')",
      input: "repeat('ä', 300)",
      output: "'short'",
      metadata_names: "['a.b', 'long']",
      metadata_values: "['1', repeat('ü', 300)]",
      metadata_types: '[1, 0]',
      cost_details: "map('input', 0.000000000001, 'Input_cached', 1, 'output', 2, 'total', 3.000000000001)",
    }),
  )
  const derived =
    'input_length, output_length, calculated_input_cost AS i, calculated_output_cost AS o, calculated_total_cost AS c, total_cost AS t, toString(start_time) AS at, environment, is_deleted'
  expect(await engine.query(`SELECT ${derived} FROM svc.events_full WHERE project_id = 'derived'`)).toEqual([
    {
      input_length: 300,
      output_length: 5,
      i: 1.000000000001,
      o: 2,
      c: 3.000000000001,
      t: 3.000000000001,
      at: '2026-11-21 12:00:00.123456',
      environment: 'default',
      is_deleted: 0,
    },
  ])
  expect(
    await engine.query(
      `SELECT input, output, metadata_names, metadata_values[2] AS v, metadata_types, input_length FROM svc.events_core WHERE project_id = 'derived'`,
    ),
  ).toEqual([
    {
      input: 'ä'.repeat(200),
      output: 'short',
      metadata_names: ['a.b', 'long'],
      v: 'ü'.repeat(200),
      metadata_types: [1, 0],
      input_length: 200,
    },
  ])
})

test('a sum of costs beyond the range of a single cost does not fail the insert', async () => {
  const entries =
    "mapFromArrays(arrayMap(x -> concat('input_', toString(x)), range(20)), arrayMap(x -> toDecimal64(999999, 12), range(20)))"
  await engine.command(row({ project_id: "'costs'", cost_details: entries }))
  const sum = `SELECT calculated_input_cost AS sum FROM svc.events_core WHERE project_id = 'costs'`
  expect(await engine.query(sum)).toEqual([{ sum: 19_999_980 }])
})

test('months follow UTC', async () => {
  await engine.command(row({ project_id: "'month'", start_time: "toDateTime64('2026-11-30 23:59:59.999999', 6, 'UTC')" }))
  await engine.command(row({ project_id: "'month'", start_time: "toDateTime64('2026-12-01 00:00:00', 6, 'UTC')" }))
  expect(await engine.query(`SELECT DISTINCT _partition_id AS p FROM svc.events_full WHERE project_id = 'month' ORDER BY p`)).toEqual([
    { p: '202611' },
    { p: '202612' },
  ])
})

test('a Native block of 30,000 rows becomes one part in each table, and a retry with its token adds nothing', async () => {
  const file = join(engine.directory, 'block.native')
  const values = names.map(name => {
    if (name === 'project_id') return "'native' AS project_id"
    if (name === 'span_id') return 'toString(number) AS span_id'
    if (name === 'start_time') return "toDateTime64('2026-10-05 00:00:00', 6) + number AS start_time"
    return `defaultValueOfTypeName('${eventsColumns.find(c => c.name === name)!.type.replaceAll("'", "\\'")}') AS ${name}`
  })
  await engine.command(
    `SELECT ${values.join(', ')} FROM numbers(30000) INTO OUTFILE '${file}' FORMAT Native SETTINGS max_block_size = 30000`,
  )
  const insert = `INSERT INTO svc.events_full (${names.join(', ')}) FROM INFILE '${file}' SETTINGS ${settings}, insert_deduplication_token = 'T' FORMAT Native`
  await engine.command(insert)
  await engine.command(insert)
  const parts = await engine.query(
    `SELECT table, count() AS parts, sum(rows) AS rows FROM system.parts WHERE database = 'svc' AND partition_id = '202610' AND active GROUP BY table ORDER BY table`,
  )
  expect(parts).toEqual([
    { table: 'events_core', parts: 1, rows: 30000 },
    { table: 'events_full', parts: 1, rows: 30000 },
  ])
})

test('a newer version of a row replaces it and a tombstone hides it, in both tables', async () => {
  const key = { project_id: "'replace'", trace_id: "'t'", span_id: "'s'", start_time: "toDateTime64('2026-11-21 00:00:00', 6, 'UTC')" }
  const at = (second: number) => `toDateTime64('2026-11-21 00:00:0${second}', 6, 'UTC')`
  await engine.command(row({ ...key, name: "'new'", event_ts: at(2) }))
  await engine.command(row({ ...key, name: "'old'", event_ts: at(1) }))
  for (const table of ['events_full', 'events_core']) {
    expect(await engine.query(`SELECT name FROM svc.${table} FINAL WHERE project_id = 'replace'`)).toEqual([{ name: 'new' }])
  }
  await engine.command(row({ ...key, event_ts: at(3), is_deleted: '1' }))
  for (const table of ['events_full', 'events_core']) {
    expect(await engine.query(`SELECT name FROM svc.${table} FINAL WHERE project_id = 'replace'`)).toEqual([])
  }
})

test('lightweight updates work on both tables', async () => {
  await engine.command(row({ project_id: "'update'" }))
  for (const table of ['events_full', 'events_core']) {
    await engine.command(`UPDATE svc.${table} SET bookmarked = true WHERE project_id = 'update'`)
    expect(await engine.query(`SELECT bookmarked FROM svc.${table} WHERE project_id = 'update'`)).toEqual([{ bookmarked: true }])
  }
})

test('metadata equality uses its index', async () => {
  const plan = await engine.query<{ explain: string }>(
    `SELECT explain FROM (EXPLAIN indexes = 1 SELECT span_id FROM svc.events_core WHERE has(${metadataPairs}, 'tier=gold'))`,
  )
  expect(plan.map(line => line.explain).join('\n')).toContain('Name: i_kv')
})

test('text search prunes by tokens of merged parts', async () => {
  await engine.command(row({ project_id: "'search'", input: "'the Quick fox'" }))
  await engine.command('OPTIMIZE TABLE svc.events_full FINAL')
  const where = "hasToken(lower(input), 'quick')"
  const plan = await engine.query<{ explain: string }>(
    `SELECT explain FROM (EXPLAIN indexes = 1 SELECT span_id FROM svc.events_full WHERE ${where})`,
  )
  expect(plan.map(line => line.explain).join('\n')).toContain('Name: s_input')
  expect(await engine.query(`SELECT input FROM svc.events_full WHERE ${where}`)).toEqual([{ input: 'the Quick fox' }])
})
