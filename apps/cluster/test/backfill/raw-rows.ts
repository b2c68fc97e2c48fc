// Compares the rows of the old tables with the rows of the events tables. This file uses its own SQL, because the backfill's queries could
// be wrong.
import type { TestCluster } from '../cluster.ts'
import { statements } from '../walk/operator.ts'

/** Copies every inserted row to a separate table, so that a merge cannot hide a duplicate. */
export const watchInserts = (cluster: TestCluster): Promise<void> =>
  statements(cluster, [
    'CREATE TABLE inserted_rows (id UInt64, trace_id String) ENGINE = MergeTree ORDER BY id',
    `CREATE MATERIALIZED VIEW inserted_rows_mv TO inserted_rows AS
     SELECT cityHash64(project_id, trace_id, span_id, toUnixTimestamp64Milli(start_time)) AS id, trace_id FROM events_full WHERE endsWith(source, '-backfill')`,
  ])

const listOf = (ids: Iterable<string>) => `(${[...ids, ''].map(id => `'${id}'`).join(', ')})`

const numberOf = async ({ query }: TestCluster, sql: string): Promise<number> => Number((await query<{ rows: string }>(sql))[0]!.rows)

/**
 * Returns how many keys have more than one inserted row. The keys of changed traces are not counted, because the backfill writes the rows
 * of these traces again (ADR 0030).
 */
export const writtenTwice = (cluster: TestCluster, changed: Iterable<string>): Promise<number> =>
  numberOf(
    cluster,
    `SELECT count() AS rows FROM (SELECT id FROM inserted_rows WHERE trace_id NOT IN ${listOf(changed)} GROUP BY id HAVING count() > 1)`,
  )

export interface Counted {
  readonly children: readonly [expected: number, there: number]
  readonly roots: readonly [expected: number, there: number]
}

/**
 * Returns the expected and the actual number of rows in an events table. Only unchanged traces that were written before `sinceMs` are
 * counted.
 */
export async function countRows(cluster: TestCluster, table: string, changed: Iterable<string>, sinceMs: number): Promise<Counted> {
  const before = (time: string) => `${time} < fromUnixTimestamp64Milli(toInt64(${sinceMs}))`
  const untouched = (id: string) => `${id} NOT IN ${listOf(changed)}`
  const observations = `FROM observations FINAL WHERE ${before('event_ts')} AND ${untouched('trace_id')}`
  const events = `FROM ${table} WHERE endsWith(source, '-backfill') AND ${untouched('trace_id')}`
  const isRoot = `span_id = concat('t-', trace_id)`
  return {
    children: [
      await numberOf(cluster, `SELECT count() AS rows ${observations}`),
      await numberOf(cluster, `SELECT count() AS rows ${events} AND NOT (${isRoot})`),
    ],
    roots: [
      await numberOf(
        cluster,
        `SELECT count() AS rows FROM (SELECT DISTINCT project_id, trace_id FROM (SELECT project_id, trace_id ${observations}
           UNION ALL SELECT project_id, id AS trace_id FROM traces FINAL WHERE ${before('event_ts')} AND ${untouched('id')}))`,
      ),
      await numberOf(cluster, `SELECT count() AS rows ${events} AND ${isRoot}`),
    ],
  }
}

export interface Readable {
  readonly expected: number
  readonly there: number
}

/**
 * Counts the observations of a month that were written before `sinceMs`, and counts how many of them are in the events tables.
 * Observations of traces with dataset run items are not counted, because only step 4 of the backfill writes them to the events tables.
 */
export async function readableOf(cluster: TestCluster, month: number, changed: Iterable<string>, sinceMs: number): Promise<Readable> {
  const untouched = `trace_id NOT IN ${listOf(changed)} AND (project_id, trace_id) NOT IN (SELECT project_id, trace_id FROM dataset_run_items_rmt)`
  const of = `toYYYYMM(start_time) = ${month} AND ${untouched}`
  return {
    expected: await numberOf(
      cluster,
      `SELECT count() AS rows FROM observations FINAL WHERE ${of} AND event_ts < fromUnixTimestamp64Milli(toInt64(${sinceMs}))`,
    ),
    there: await numberOf(
      cluster,
      `SELECT count() AS rows FROM events_full FINAL WHERE ${of} AND endsWith(source, '-backfill') AND span_id != concat('t-', trace_id)`,
    ),
  }
}
