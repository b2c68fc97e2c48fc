// Is it there? The one rule by which a row counts as stored: its key has a row, tombstones included, that is at least as new as ours. One found row
// proves nothing of others (chunks may have been cut otherwise, a log made anew, rules changed), and counted provenances prove too little: merges and
// spans that were sent again take them away. A merge keeps the newest version of a key, so what was stored once has such a row for ever.
import type { ColumnStore } from '@svc-server/column-store'
import { batchesOf } from './presence-batch.ts'

/** A version of a row: its key, and when its span came. */
export interface RowVersion {
  readonly projectId: string
  /** As in the tables. */
  readonly traceId: string
  readonly spanId: string
  /** Microseconds since the epoch. */
  readonly startTimeUs: number
  /** event_ts of the row, microseconds since the epoch. */
  readonly eventTsUs: number
}

export type EventsTable = 'events_full' | 'events_core'

export interface PresenceOptions {
  /** Bytes of a query's parameters, about. They bound memory and answer, and change no result. */
  readonly bytesPerQuery?: number
  /** Threads of the column store for one query. */
  readonly maxThreads?: number
  /** Called before every query; what it throws ends the search. */
  readonly beforeQuery?: () => Promise<void>
}

// The embedded engine takes parameters as SQL, of which it reads 256 KiB.
const defaultBytesPerQuery = 192 * 1024

// Reads by the full primary key. The hash of a trace is part of it; the trace itself is compared as well, since two may have the same hash. Only
// what is absent is answered: mostly nothing.
const query = (table: EventsTable, settings: string) => `
  WITH wanted AS (
    SELECT key.1 AS number, {projects:Array(String)}[key.2] AS project_id, fromUnixTimestamp64Micro({firstStart:Int64} + toInt64(key.3)) AS start_time,
      {traces:Array(String)}[key.4] AS trace_id, key.5 AS span_id, {firstEvent:Int64} + toInt64(key.6) AS event_us
    FROM (SELECT arrayJoin(arrayZip(range(length({spans:Array(String)})), {projectOf:Array(UInt32)}, {startAfter:Array(UInt64)},
      {traceOf:Array(UInt32)}, {spans:Array(String)}, {eventAfter:Array(UInt64)})) AS key))
  SELECT groupArray(number) AS numbers
  FROM wanted LEFT JOIN (
    SELECT project_id, start_time, trace_id, span_id, 1 AS found, toUnixTimestamp64Micro(max(event_ts)) AS newest_us
    FROM ${table}
    WHERE (project_id, start_time, xxHash32(trace_id), span_id) IN (SELECT project_id, start_time, xxHash32(trace_id), span_id FROM wanted)
      AND start_time >= fromUnixTimestamp64Micro({firstStart:Int64}) AND start_time <= fromUnixTimestamp64Micro({lastStart:Int64})
    GROUP BY project_id, start_time, trace_id, span_id
  ) AS stored USING (project_id, start_time, trace_id, span_id)
  WHERE found = 0 OR newest_us < event_us
  SETTINGS join_use_nulls = 0${settings}`

/**
 * Which of these have no row in `table` with their key and an event_ts of theirs or later: their positions in `versions`, ascending. A version
 * that is listed twice is answered twice. Reads whatever the replica that answers has: bring it up to date first where there are several.
 * Rejects with a column_store_* AppError.
 */
export async function absentRows(
  columnStore: ColumnStore,
  table: EventsTable,
  versions: readonly RowVersion[],
  { bytesPerQuery = defaultBytesPerQuery, maxThreads, beforeQuery }: PresenceOptions = {},
): Promise<readonly number[]> {
  const sql = query(table, maxThreads === undefined ? '' : `, max_threads = ${maxThreads}`)
  const absent: number[] = []
  for (const { positions, params } of batchesOf(versions, bytesPerQuery)) {
    await beforeQuery?.()
    const [row] = await columnStore.query<{ numbers: readonly (number | string)[] }>(sql, params)
    for (const number of row?.numbers ?? []) absent.push(positions[Number(number)]!)
  }
  return absent.sort((a, b) => a - b)
}
