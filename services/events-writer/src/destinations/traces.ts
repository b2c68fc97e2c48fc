// v3's table `traces` has one row per trace. The row is merged from the trace's own events and from its spans.
import type { Denials } from '@svc-server/deletions/denials'
import type { TraceRow } from '@svc-server/entities/rows/tables'
import { sourcesOf } from '@svc-server/modes/flows'
import type { Destination } from './destination.ts'
import type { EntityTable } from './entity-rows.ts'
import { entityRules } from './entity-rules.ts'
import type { EncoderOptions, RejectedRow, RowEncoder, RowPlace, SourceRecord } from './row-encoder.ts'

const dayUs = 86_400_000_000

export const traces: Destination = {
  table: 'traces',
  sources: writeMode => sourcesOf('traces', writeMode),
  key: [
    { sql: 'project_id', kind: 'repeated' },
    // v3's dates are in UTC.
    { sql: 'toDate(timestamp)', kind: 'day' },
    { sql: 'id', kind: 'text' },
  ],
  version: 'event_ts',
  monthOf: 'toDate(timestamp)',
  provenance: null,
  dependent: null,
  rules: entityRules,
  createEncoder,
}

async function createEncoder({ pool }: EncoderOptions): Promise<RowEncoder> {
  const { tracesColumns } = await import('@svc-server/schema/old-tables/columns')
  const { traceRows } = await import('@svc-server/entities/rows/trace')
  const { createObjectBlock } = await import('./object-block.ts')
  const { entityRowsOf } = await import('./entity-rows.ts')
  const block = createObjectBlock(tracesColumns, pool)
  const table: EntityTable<TraceRow> = {
    entityType: 'trace',
    unitUs: 1000,
    kept: ['project_id', 'timestamp', 'id'],
    rowsOf: traceRows,
    placeOf: ({ id, timestamp }) => ({ traceId: id, spanId: id, type: '', start: timestamp }),
  }
  const open = (record: SourceRecord, denials?: Denials) => entityRowsOf(record, table, denials)

  return {
    encode(records, only, denials) {
      const rejected: RejectedRow[] = []
      let denied = 0
      for (const record of records) {
        const opened = open(record, denials)
        if ('reason' in opened) {
          rejected.push(opened)
          continue
        }
        if (opened.denied) denied += 1
        const selected = only?.get(record.offset)
        for (const [index, row] of opened.rows.entries()) if (only === undefined || selected?.has(index)) block.add(row)
      }
      const { repairedTexts, ...encoded } = block.finish()
      return { ...encoded, items: records.length - rejected.length, denied, rejected, outcomes: { repaired_text: repairedTexts } }
    },
    places: (records, denials) =>
      records.flatMap((record): readonly RowPlace[] => {
        const opened = open(record, denials)
        if ('reason' in opened) return []
        return opened.places.map(({ projectId, startTimeUs, spanId, eventTsUs, offset, index }) => ({
          key: [projectId, Math.floor(startTimeUs / dayUs), spanId],
          versionUs: eventTsUs,
          offset,
          index,
        }))
      }),
    raws: (records, only, denials) =>
      records.flatMap(record => {
        const opened = only.has(record.offset) ? open(record, denials) : null
        if (opened === null || 'reason' in opened) return []
        return [{ offset: record.offset, index: 0, projectId: opened.projectId, raw: record.value.slice() }]
      }),
  }
}
