// Looks whether rows of a chunk are in the tables. Neither an answer nor a token proves it: a timed-out insert may land, and an
// engine that was killed between its de-duplication log and the rename of a part answers "done" for ever and has no row (F41).
import type { ColumnStore } from '@svc-server/column-store'
import type { EncodedChunk } from '@svc-server/observations'

export type Month = EncodedChunk['months'][number]
type ProbeKey = Month['probes'][number]

/**
 * present: a row of this chunk is there, and parts are atomic, so the whole month is. absent: proven missing. superseded: newer
 * versions have every probed key, which proves neither.
 */
export type Verdict = 'present' | 'absent' | 'superseded'

export interface Found {
  readonly full: Verdict
  readonly core: Verdict
}

export interface ChunkRange {
  readonly topic: string
  readonly partition: number
  readonly first: number
  readonly last: number
  /** `event_ts` of a record's rows in microseconds, by offset. */
  readonly rowTimesUs: ReadonlyMap<number, number>
}

interface Row {
  readonly table_name: 'events_full' | 'events_core'
  readonly project_id: string
  readonly trace_id: string
  readonly span_id: string
  readonly start_us: string
  readonly provenance: string
  readonly event_us: string
}

/** Reads by the full primary key: a handful of granules, however large the table is. */
export async function look(columnStore: ColumnStore, range: ChunkRange, month: Month): Promise<Found> {
  const rows = await columnStore.query<Row>(`${select('events_full')} UNION ALL ${select('events_core')}`, {
    projects: month.probes.map(probe => probe.projectId),
    traces: month.probes.map(probe => probe.traceId),
    spans: month.probes.map(probe => probe.spanId),
    starts: month.probes.map(probe => probe.startTimeUs),
  })
  const verdict = (table: Row['table_name']) =>
    judge(
      month.probes,
      rows.filter(row => row.table_name === table),
      range,
    )
  return { full: verdict('events_full'), core: verdict('events_core') }
}

const select = (table: string) => `
  SELECT '${table}' AS table_name, project_id, trace_id, span_id, toString(toUnixTimestamp64Micro(start_time)) AS start_us,
    blob_storage_file_path AS provenance, toString(toUnixTimestamp64Micro(event_ts)) AS event_us
  FROM ${table}
  WHERE (project_id, start_time, xxHash32(trace_id), span_id) IN (
    SELECT key.1, fromUnixTimestamp64Micro(toInt64(key.2)), xxHash32(key.3), key.4
    FROM (SELECT arrayJoin(arrayZip({projects:Array(String)}, {starts:Array(String)}, {traces:Array(String)}, {spans:Array(String)})) AS key))
    AND start_time >= fromUnixTimestamp64Micro(arrayMin(arrayMap(t -> toInt64(t), {starts:Array(String)})))
    AND start_time <= fromUnixTimestamp64Micro(arrayMax(arrayMap(t -> toInt64(t), {starts:Array(String)})))`

const keyOf = (key: { project: string; start: string; trace: string; span: string }) => JSON.stringify(key)
const probeKey = (probe: ProbeKey) =>
  keyOf({ project: probe.projectId, start: probe.startTimeUs, trace: probe.traceId, span: probe.spanId })
const rowKey = (row: Row) => keyOf({ project: row.project_id, start: row.start_us, trace: row.trace_id, span: row.span_id })

/** Pure; exported for its test. */
export function judge(probes: readonly ProbeKey[], rows: readonly Row[], range: ChunkRange): Verdict {
  const byKey = Map.groupBy(rows, rowKey)
  let absent = false
  for (const probe of probes) {
    const found = byKey.get(probeKey(probe)) ?? []
    if (found.some(row => isWithin(row.provenance, range))) return 'present'
    // A merge keeps the newest version of a key. So if ours had been there, something at least as new would be there now.
    const ours = range.rowTimesUs.get(offsetOf(probe.provenance)) ?? 0
    if (!found.some(row => Number(row.event_us) >= ours)) absent = true
  }
  return absent ? 'absent' : 'superseded'
}

const offsetOf = (provenance: string): number => Number(provenance.slice(provenance.lastIndexOf('/') + 1, provenance.lastIndexOf('#')))

function isWithin(provenance: string, { topic, partition, first, last }: ChunkRange): boolean {
  if (!provenance.startsWith(`${topic}/${partition}/`)) return false
  const offset = offsetOf(provenance)
  return offset >= first && offset <= last
}
