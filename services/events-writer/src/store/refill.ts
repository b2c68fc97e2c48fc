// Fills keys of events_core from events_full. The view writes its part after the table's own; an engine that dies in between leaves rows that are
// stored but not listed.
import { createHash } from 'node:crypto'
import type { ColumnStore } from '@svc-server/column-store'
import type { RowPlace } from '@svc-server/observations'
import { eventsColumns, insertSettings, viewSelect } from '@svc-server/schema'

export interface RefillBatch {
  readonly rows: readonly RowPlace[]
  /** Of the keys: another batch must not share a token. */
  readonly hash: string
}

// A statement with its keys, below the 256 KiB that the engine reads of one. Parameters of a command would stand in its URL.
const batchBytes = 128 * 1024
const keyBytes = 120

/** In the order of the tables' key, so that the same rows make the same batches. */
export function refillBatches(rows: readonly RowPlace[], maxBytes = batchBytes): readonly RefillBatch[] {
  const batches: RefillBatch[] = []
  let batch: RowPlace[] = []
  let bytes = 0
  const close = () => {
    const hash = createHash('sha256')
      .update(JSON.stringify(batch.map(keyOf)))
      .digest('hex')
      .slice(0, 32)
    batches.push({ rows: batch, hash })
    batch = []
    bytes = 0
  }
  for (const row of rows.toSorted(byKey)) {
    const more = keyBytes + 2 * Buffer.byteLength(row.projectId)
    if (batch.length > 0 && bytes + more > maxBytes) close()
    batch.push(row)
    bytes += more
  }
  if (batch.length > 0) close()
  return batches
}

const keyOf = ({ projectId, startTimeUs, traceId, spanId, eventTsUs }: RowPlace) => [projectId, startTimeUs, traceId, spanId, eventTsUs]
const byKey = (a: RowPlace, b: RowPlace): number =>
  byText(a.projectId, b.projectId) ||
  a.startTimeUs - b.startTimeUs ||
  byText(a.traceId, b.traceId) ||
  byText(a.spanId, b.spanId) ||
  a.eventTsUs - b.eventTsUs
const byText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

const columns = eventsColumns.map(({ name }) => name).join(', ')
const settings = Object.entries({
  ...insertSettings,
  // One thread and one block: what is de-duplicated by a token must be cut the same way each time.
  max_threads: 1,
  max_block_size: 1_000_000,
  min_insert_block_size_rows: 1_000_000,
  min_insert_block_size_bytes: 0,
})
  .map(([name, value]) => `${name} = ${typeof value === 'number' ? value : literal(value)}`)
  .join(', ')

/**
 * Copies of each key what is at least as new as the row that events_core lacks: nothing of it is there, or the row would be superseded. Rejects with a
 * column_store_* AppError.
 */
export async function refillCore(columnStore: ColumnStore, { rows }: RefillBatch, token: string): Promise<void> {
  const list = (of: (row: RowPlace) => string) => `[${rows.map(of).join(',')}]`
  const texts = (of: (row: RowPlace) => string) => list(row => literal(of(row)))
  const times = (of: (row: RowPlace) => number) => list(row => `toInt64(${of(row)})`)
  const first = rows.reduce((least, { startTimeUs }) => Math.min(least, startTimeUs), Number.POSITIVE_INFINITY)
  const last = rows.reduce((most, { startTimeUs }) => Math.max(most, startTimeUs), 0)
  await columnStore.command(
    `INSERT INTO events_core (${columns})
     WITH wanted AS (
       SELECT key.1 AS of_project, fromUnixTimestamp64Micro(key.2) AS of_start, key.3 AS of_trace, key.4 AS of_span, fromUnixTimestamp64Micro(key.5) AS of_event
       FROM (SELECT arrayJoin(arrayZip(${texts(row => row.projectId)}, ${times(row => row.startTimeUs)}, ${texts(row => row.traceId)},
         ${texts(row => row.spanId)}, ${times(row => row.eventTsUs)})) AS key))
     SELECT ${viewSelect}
     FROM (
       SELECT * FROM events_full
       WHERE (project_id, start_time, xxHash32(trace_id), span_id) IN (SELECT of_project, of_start, xxHash32(of_trace), of_span FROM wanted)
         AND start_time >= fromUnixTimestamp64Micro(toInt64(${first})) AND start_time <= fromUnixTimestamp64Micro(toInt64(${last}))
     ) AS stored INNER JOIN (
       SELECT of_project, of_start, of_trace, of_span, min(of_event) AS of_event FROM wanted GROUP BY of_project, of_start, of_trace, of_span
     ) AS least ON project_id = of_project AND start_time = of_start AND trace_id = of_trace AND span_id = of_span
     WHERE event_ts >= of_event
     SETTINGS ${settings}, insert_deduplication_token = ${literal(token)}`,
  )
}

function literal(text: string | number): string {
  return `'${String(text).replaceAll(/[\\']/g, '\\$&')}'`
}
