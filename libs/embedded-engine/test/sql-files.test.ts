// Tests that no statement can read a file. On the real engine, the tests put the names of functions and table engines at every position of
// a statement, in several spellings.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { constantSettings, valuesSettings } from '../src/sql/denied.ts'
import { startTestEngine, type TestEngine } from './engine.ts'
import { type Position, plainStatements, scalarPositions, sourcePositions, spellings } from './file-positions.ts'

const secret = 'canary-7f3a9c'
let it: TestEngine
let file: string
beforeAll(async () => {
  it = await startTestEngine()
  file = join(it.directory, 'secrets.json')
  writeFileSync(file, `${secret}\n`)
  await reset()
})
afterAll(async () => {
  await it[Symbol.asyncDispose]()
})

const quoted = (text: string) => `'${text}'`
const fill = (text: string, name: string, path: string) =>
  text
    .replaceAll(/\bF\b/g, () => name)
    .replaceAll(/\bP\b/g, () => path)
    .replaceAll(/\bQ\b/g, () => path.replaceAll("'", "\\'"))

/** Runs all statements even if one fails, because a failed statement can still have created what the next statement uses. */
async function attack({ statements, search = {} }: Position, name: string, bare: string, path: string): Promise<string> {
  const filled = Object.fromEntries(
    Object.entries(search).map(([key, value]) => [key, fill(value, bare, key === 'param_t' ? path : quoted(path))]),
  )
  let heard = ''
  let changed = false
  for (const statement of statements) {
    const { status, text } = await it.post(fill(statement, name, statement.includes('`P`') ? path : quoted(path)), filled)
    heard += text
    changed ||= status === 200 && !/^(SELECT|EXPLAIN|DESCRIBE|SHOW|USE|SET)/.test(statement)
  }
  if (changed) await reset()
  return heard
}

async function reset(): Promise<void> {
  for (const object of ['VIEW IF EXISTS v', 'TABLE IF EXISTS c', 'TABLE IF EXISTS m', 'DATABASE IF EXISTS d'])
    await it.post(`DROP ${object}`)
  await it.post('CREATE OR REPLACE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a')
  await it.post("INSERT INTO t VALUES (1, 'x')")
}

const stillThere = () => expect(readFileSync(file, 'utf8')).toBe(`${secret}\n`)

test('this process can read the file, and the attacks name the right path', () => {
  stillThere()
})

describe('no response contains the content of a file', () => {
  test('through the scalar function, in every position and spelling', async () => {
    const heard: string[] = []
    for (const position of scalarPositions)
      for (const spell of [spellings[0]!, spellings[3]!]) {
        const text = await attack(position, spell('file'), 'file', file)
        if (text.includes(secret)) heard.push(`${position.statements[0]} with ${spell('file')}`)
      }
    expect(heard).toEqual([])
  })

  test('through relative paths, from the working directory upward', async () => {
    for (const path of ['secrets.json', '../secrets.json', '../../secrets.json', './empty/../secrets.json'])
      for (const position of scalarPositions.slice(0, 4)) expect(await attack(position, 'file', 'file', path)).not.toContain(secret)
  })

  test('through table functions and engines', async () => {
    const heard: string[] = []
    for (const name of [
      'file',
      'fileCluster',
      'url',
      'executable',
      'icebergLocal',
      'deltaLakeLocal',
      'sqlite',
      'File',
      'URL',
      'Executable',
      'EmbeddedRocksDB',
      'Filesystem',
      'SQLite',
      'Overlay',
    ])
      for (const position of sourcePositions)
        for (const spell of spellings.slice(0, 1)) {
          const path = /url/i.test(name) ? `file://${file}` : file
          if ((await attack(position, spell(name), name, path)).includes(secret))
            heard.push(`${position.statements[0]} with ${spell(name)}`)
        }
    expect(heard).toEqual([])
    stillThere()
  })

  test('through statements, settings, databases and collections', async () => {
    for (const position of plainStatements)
      expect([position, (await attack(position, 'file', 'file', file)).includes(secret)]).toEqual([position, false])
    stillThere()
    expect((await it.post('SELECT 1')).text).toBe('1\n')
  })
})

test('inserting data still works, and text that looks like a file function is stored as text', async () => {
  await it.post('CREATE OR REPLACE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a')
  const answer = await it.post('{"a":1,"b":"file"}', { query: 'INSERT INTO t FORMAT JSONEachRow' })
  expect(answer.status).toBe(200)
  expect((await it.post('SELECT b FROM t')).text).toBe('file\n')
})

/**
 * A developer has checked these settings: their text values contain no path, URL or SQL. If a newer engine adds a setting, the test fails
 * until a developer has checked the new setting.
 */
const harmlessTextSettings =
  `bool_false_representation bool_true_representation chdb_client_name cluster_for_parallel_replicas column_names_for_schema_inference
  compatibility count_distinct_implementation default_view_definer distributed_cache_file_cache_name distributed_plan_force_exchange_kind errors_output_format
  exclude_materialize_skip_indexes_on_insert force_data_skipping_indices force_optimize_projection_name format_csv_null_representation
  format_custom_field_delimiter format_custom_result_after_delimiter format_custom_result_before_delimiter format_custom_row_after_delimiter
  format_custom_row_before_delimiter format_custom_row_between_delimiter format_json_object_each_row_column_for_object_name format_regexp
  format_template_resultset_format format_template_row_format format_template_rows_between_delimiter format_tsv_null_representation
  function_implementation http_response_headers iceberg_metadata_compression_method ignore_data_skipping_indices input_format_mysql_dump_table_name
  input_format_orc_reader_time_zone_name insert_deduplication_token local_filesystem_read_method log_comment metrics_perf_events_list
  network_compression_method output_format_avro_codec output_format_avro_confluent_subject output_format_avro_string_column_pattern
  output_format_image_terminal_mode output_format_orc_writer_time_zone_name output_format_pretty_grid_charset output_format_sql_insert_table_name
  preferred_optimize_projection_name promql_database promql_table query_cache_tag remote_filesystem_read_method s3queue_default_zookeeper_path
  send_logs_source_regexp stream_like_engine_insert_queue temporary_files_codec trace_profile_events_list workload`.split(/\s+/)

test('every text setting has been reviewed, and the dangerous ones cannot be changed', async () => {
  const { text } = await it.post("SELECT name FROM system.settings WHERE type = 'String' OR type LIKE '%Map%' ORDER BY name")
  const known = new Set([...harmlessTextSettings, ...constantSettings])
  expect(
    text
      .trim()
      .split('\n')
      .filter(name => !known.has(name)),
  ).toEqual([])
  const changeable = await it.post(`SELECT name FROM system.settings WHERE readonly = 0 AND name IN (${constantSettings.map(quoted)})`)
  expect(changeable.text).toBe('')
  expect(valuesSettings).toHaveLength(2)
})
