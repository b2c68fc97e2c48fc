// Queries rows by their provenance. Provenance has no index, so one query counts the rows of a whole range of offsets.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { OffsetRange } from '../spans-on-log.ts'

export interface RowsRange extends OffsetRange {
  /** `event_ts` of the oldest record, in microseconds. Older rows are ignored, because a former log can have had the same offsets. */
  readonly notBeforeUs: number
}

export interface SliceRows {
  readonly raw: number
  /** Number of different provenances. */
  readonly stored: number
}

/** SQL for the offset in a row's provenance. */
export const offsetOfRow = "toUInt64OrZero(substringIndex(substring(blob_storage_file_path, length({prefix:String}) + 1), '#', 1))"
/** Takes the parameters of `paramsOf`. */
export const within = `startsWith(blob_storage_file_path, {prefix:String}) AND event_ts >= fromUnixTimestamp64Micro({notBeforeUs:Int64})
  AND ${offsetOfRow} >= {from:UInt64} AND ${offsetOfRow} < {until:UInt64}`

export const paramsOf = ({ topic, partition, from, until, notBeforeUs }: RowsRange) => ({
  prefix: `${topic}/${partition}/`,
  from,
  until,
  notBeforeUs,
})

/** Divides the range into slices of `size` offsets, and counts the rows of each slice. */
export async function rowsBySlice(columnStore: ColumnStore, range: RowsRange, size: number): Promise<ReadonlyMap<number, SliceRows>> {
  const rows = await columnStore.query<{ slice: string; raw: string; stored: string }>(
    `SELECT intDiv(${offsetOfRow} - {from:UInt64}, {size:UInt64}) AS slice, count() AS raw,
       uniqExact(blob_storage_file_path) AS stored
     FROM events_full WHERE ${within} GROUP BY slice`,
    { ...paramsOf(range), size },
  )
  return new Map(rows.map(({ slice, raw, stored }) => [Number(slice), { raw: Number(raw), stored: Number(stored) }]))
}

/** Counts raw rows by provenance (offset#index). */
export async function rowsByProvenance(columnStore: ColumnStore, range: RowsRange): Promise<ReadonlyMap<string, number>> {
  const rows = await columnStore.query<{ provenance: string; raw: string }>(
    `SELECT substring(blob_storage_file_path, length({prefix:String}) + 1) AS provenance, count() AS raw
     FROM events_full WHERE ${within} GROUP BY provenance`,
    paramsOf(range),
  )
  return new Map(rows.map(({ provenance, raw }) => [provenance, Number(raw)]))
}

export interface SpanKey {
  readonly projectId: string
  readonly traceId: string
  readonly spanId: string
}

export interface SpanOnLog extends SpanKey {
  /** Start of the span in microseconds since the epoch; 0 if it is missing. */
  readonly startTimeUs: number
}

export const spanKey = ({ projectId, traceId, spanId }: SpanKey): string => `${projectId}/${traceId}/${spanId}`

/**
 * Maximum number of keys in one statement. The embedded engine limits a statement to 4 MB, and ids from the legacy API can have 800
 * characters.
 */
const keysPerQuery = 500

/** Returns the append time of each span's newest row, in microseconds; spans without a row are left out. */
export async function newestRows(columnStore: ColumnStore, spans: readonly SpanKey[]): Promise<ReadonlyMap<string, number>> {
  const newest = new Map<string, number>()
  for (let at = 0; at < spans.length; at += keysPerQuery) {
    const some = spans.slice(at, at + keysPerQuery)
    const rows = await columnStore.query<SpanKey & { newest: string }>(
      `SELECT project_id AS projectId, trace_id AS traceId, span_id AS spanId, max(toUnixTimestamp64Micro(event_ts)) AS newest
       FROM events_full
       WHERE trace_id IN {traces:Array(String)}
         AND (project_id, trace_id, span_id) IN (
           SELECT key.1, key.2, key.3 FROM (SELECT arrayJoin(arrayZip({projects:Array(String)}, {keyTraces:Array(String)}, {spans:Array(String)})) AS key))
       GROUP BY project_id, trace_id, span_id`,
      {
        traces: [...new Set(some.map(({ traceId }) => traceId))],
        projects: some.map(({ projectId }) => projectId),
        keyTraces: some.map(({ traceId }) => traceId),
        spans: some.map(({ spanId }) => spanId),
      },
    )
    for (const row of rows) newest.set(spanKey(row), Number(row.newest))
  }
  return newest
}
