import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrateColumnStore } from '../src/migrations/migrate.ts'
import { datasetRunItemsColumns, observationsColumns, scoresColumns, tracesColumns } from '../src/old-tables/columns.ts'
import { type Engine, openEngine } from './engine.ts'
import { specified } from './specified-columns.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine()
  await engine.command('CREATE DATABASE svc')
  await migrateColumnStore(engine, { database: 'svc', clustered: false, target: 37 })
})
afterAll(() => engine.close())

const exported = {
  traces: tracesColumns,
  observations: observationsColumns,
  scores: scoresColumns,
  dataset_run_items_rmt: datasetRunItemsColumns,
}

test.each(Object.entries(exported))(
  '%s has the columns of the specification, and its list has them in the order of the table',
  async (table, list) => {
    const columns = await engine.query<{ name: string; type: string }>(
      `SELECT name, type FROM system.columns WHERE database = 'svc' AND table = '${table}' ORDER BY position`,
    )
    expect(columns).toEqual(list)
    expect(Object.fromEntries(columns.map(({ name, type }) => [name, type]))).toEqual(specified[table])
  },
)

test('keys, partitions and indexes are those of v3', async () => {
  const tables = await engine.query(
    `SELECT name, engine, partition_key AS partition, primary_key AS primary, sorting_key AS sorting FROM system.tables
     WHERE database = 'svc' AND engine LIKE '%MergeTree' AND name NOT LIKE '%migrations' AND name NOT LIKE 'ingest%' ORDER BY name`,
  )
  expect(tables).toMatchInlineSnapshot(`
    [
      {
        "engine": "ReplacingMergeTree",
        "name": "blob_storage_file_log",
        "partition": "",
        "primary": "project_id, entity_type, entity_id, event_id",
        "sorting": "project_id, entity_type, entity_id, event_id",
      },
      {
        "engine": "ReplacingMergeTree",
        "name": "dataset_run_items",
        "partition": "",
        "primary": "project_id, dataset_id, dataset_run_id, id",
        "sorting": "project_id, dataset_id, dataset_run_id, id",
      },
      {
        "engine": "ReplacingMergeTree",
        "name": "dataset_run_items_rmt",
        "partition": "",
        "primary": "project_id, dataset_id, dataset_run_id, id",
        "sorting": "project_id, dataset_id, dataset_run_id, id",
      },
      {
        "engine": "MergeTree",
        "name": "event_log",
        "partition": "",
        "primary": "project_id, entity_type, entity_id",
        "sorting": "project_id, entity_type, entity_id",
      },
      {
        "engine": "ReplacingMergeTree",
        "name": "observations",
        "partition": "toYYYYMM(start_time)",
        "primary": "project_id, type, toDate(start_time)",
        "sorting": "project_id, type, toDate(start_time), id",
      },
      {
        "engine": "AggregatingMergeTree",
        "name": "project_environments",
        "partition": "",
        "primary": "(project_id)",
        "sorting": "(project_id)",
      },
      {
        "engine": "ReplacingMergeTree",
        "name": "scores",
        "partition": "toYYYYMM(timestamp)",
        "primary": "project_id, toDate(timestamp), name",
        "sorting": "project_id, toDate(timestamp), name, id",
      },
      {
        "engine": "ReplacingMergeTree",
        "name": "sdk_usage",
        "partition": "",
        "primary": "project_id, day, sdk_name, sdk_version, path, source",
        "sorting": "project_id, day, sdk_name, sdk_version, path, source",
      },
      {
        "engine": "ReplacingMergeTree",
        "name": "traces",
        "partition": "toYYYYMM(timestamp)",
        "primary": "project_id, toDate(timestamp)",
        "sorting": "project_id, toDate(timestamp), id",
      },
    ]
  `)
  const indexes = await engine.query(
    `SELECT table, name, expr, type_full AS type, granularity AS g FROM system.data_skipping_indices WHERE database = 'svc' ORDER BY table, name`,
  )
  expect(indexes.map(row => Object.values(row as object).join(' | '))).toMatchInlineSnapshot(`
    [
      "dataset_run_items | idx_dataset_item | dataset_item_id | bloom_filter(0.001) | 1",
      "dataset_run_items_rmt | idx_dataset_item | dataset_item_id | bloom_filter(0.001) | 1",
      "dataset_run_items_rmt | idx_trace_id | trace_id | bloom_filter(0.001) | 1",
      "observations | idx_created_at | created_at | minmax | 1",
      "observations | idx_id | id | bloom_filter() | 1",
      "observations | idx_res_metadata_key | mapKeys(metadata) | bloom_filter(0.01) | 1",
      "observations | idx_res_metadata_value | mapValues(metadata) | bloom_filter(0.01) | 1",
      "observations | idx_trace_id | trace_id | bloom_filter() | 1",
      "scores | idx_created_at | created_at | minmax | 1",
      "scores | idx_id | id | bloom_filter(0.001) | 1",
      "scores | idx_project_dataset_run | project_id, dataset_run_id | bloom_filter(0.001) | 1",
      "scores | idx_project_session | project_id, session_id | bloom_filter(0.001) | 1",
      "scores | idx_project_trace_observation | project_id, trace_id, observation_id | bloom_filter(0.001) | 1",
      "traces | idx_created_at | created_at | minmax | 1",
      "traces | idx_id | id | bloom_filter(0.001) | 1",
      "traces | idx_res_metadata_key | mapKeys(metadata) | bloom_filter(0.01) | 1",
      "traces | idx_res_metadata_value | mapValues(metadata) | bloom_filter(0.01) | 1",
      "traces | idx_session_id | session_id | bloom_filter() | 1",
      "traces | idx_user_id | user_id | bloom_filter() | 1",
    ]
  `)
})

test('texts have the codecs of v3, and a row with few values has the defaults of v3', async () => {
  const codecs = await engine.query<{ c: string }>(
    `SELECT concat(table, '.', name, ' ', compression_codec) AS c FROM system.columns WHERE database = 'svc' AND compression_codec != '' ORDER BY c`,
  )
  expect(codecs.map(({ c }) => c)).toMatchInlineSnapshot(`
    [
      "dataset_run_items.dataset_item_expected_output CODEC(ZSTD(3))",
      "dataset_run_items.dataset_item_input CODEC(ZSTD(3))",
      "dataset_run_items_rmt.dataset_item_expected_output CODEC(ZSTD(3))",
      "dataset_run_items_rmt.dataset_item_input CODEC(ZSTD(3))",
      "observations.input CODEC(ZSTD(3))",
      "observations.output CODEC(ZSTD(3))",
      "scores.comment CODEC(ZSTD(1))",
      "scores.long_string_value CODEC(ZSTD(3))",
      "traces.input CODEC(ZSTD(3))",
      "traces.output CODEC(ZSTD(3))",
    ]
  `)
  await engine.command("INSERT INTO svc.scores (id, project_id, timestamp, event_ts) VALUES ('s', 'p', now64(3), now64(3))")
  expect(
    await engine.query(
      'SELECT environment, ingestion_api_key AS k, ingestion_sdk_name AS n, trace_id, abs(created_at - now()) < 60 AS fresh FROM svc.scores',
    ),
  ).toEqual([{ environment: 'default', k: '', n: 'unknown', trace_id: null, fresh: 1 }])
})

test('the hourly views count the existing rows', async () => {
  const at = 'subtractHours(now64(3), 2)'
  await engine.command(
    `INSERT INTO svc.traces (id, project_id, timestamp, user_id, tags) VALUES ('t', 'p', ${at}, 'u', ['a']), ('t2', 'p', ${at}, NULL, [])`,
  )
  await engine.command(
    `INSERT INTO svc.observations (id, project_id, type, start_time, level, provided_usage_details) VALUES ('o', 'p', 'SPAN', ${at}, 'ERROR', map('input', 1))`,
  )
  await engine.command(
    `INSERT INTO svc.scores (id, project_id, timestamp, source, data_type, ingestion_sdk_name, ingestion_sdk_version)
     VALUES ('a', 'hourly', ${at}, 'API', 'NUMERIC', 'python', '4.1.0'), ('b', 'hourly', ${at}, 'EVAL', 'BOOLEAN', '', '')`,
  )
  expect(await engine.query('SELECT countTraces, hasUsers, hasSessions, hasEnvironments, hasTags FROM svc.analytics_traces')).toEqual([
    { countTraces: 2, hasUsers: 1, hasSessions: 0, hasEnvironments: 0, hasTags: 1 },
  ])
  expect(
    await engine.query(
      'SELECT type, countObservations, hasLevel, hasProvidedUsageDetails AS u, hasPromptName AS p FROM svc.analytics_observations',
    ),
  ).toEqual([{ type: 'SPAN', countObservations: 1, hasLevel: 1, u: 1, p: 0 }])
  expect(
    await engine.query(
      "SELECT countScores, hasApi, hasEval, hasAnnotation, hasBoolScore, ingested_sdks FROM svc.analytics_scores WHERE project_id = 'hourly'",
    ),
  ).toEqual([
    {
      countScores: 2,
      hasApi: 1,
      hasEval: 1,
      hasAnnotation: 0,
      hasBoolScore: 1,
      ingested_sdks: { 'python@4.1.0': 1, 'unknown@unknown': 1 },
    },
  ])
})

test('the newest version of a row replaces the others, and a tombstone removes them', async () => {
  const row = (version: number, name: string, deleted: number) =>
    `INSERT INTO svc.traces (id, project_id, name, timestamp, event_ts, is_deleted) VALUES ('r', 'replace', '${name}', '2026-01-01 00:00:00.000', ${version}, ${deleted})`
  const names = () => engine.query("SELECT name FROM svc.traces FINAL WHERE project_id = 'replace'")
  await engine.command(row(2, 'newer', 0))
  await engine.command(row(1, 'older', 0))
  expect(await names()).toEqual([{ name: 'newer' }])
  await engine.command(row(3, 'newer', 1))
  expect(await names()).toEqual([])
})
