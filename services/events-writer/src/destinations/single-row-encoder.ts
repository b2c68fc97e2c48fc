// Encodes records for the tables that store each record as one row. The version of a row is the append time of its record.
import type { Denials } from '@svc-server/deletions/denials'
import { tombstoneTicks } from '@svc-server/observations/block/denied'
import type { Column } from '@svc-server/schema/events/columns'
import { createObjectBlock } from './object-block.ts'
import type { RejectedRow, RowEncoder, RowPlace, SourceRecord } from './row-encoder.ts'
import type { RowOf } from './row-writer.ts'

export type SingleRow<Row> =
  | {
      readonly projectId: string
      /** Null if the row belongs to no trace. */
      readonly traceId: string | null
      readonly row: Row
      readonly key: RowPlace['key']
    }
  | { readonly projectId: string; readonly refused: string }

interface Versioned {
  readonly event_ts: number
  readonly is_deleted: 0 | 1
}

/** Version columns are in milliseconds. */
const tickUs = 1_000

/**
 * `open` throws UndecodableRecord. `kept` lists the columns that a tombstone has: the columns of the key, and the column of the trace.
 * `kept` is null if the table has no tombstones.
 */
export function createSingleRowEncoder<Row extends RowOf<Row>>(
  columns: readonly Column[],
  kept: readonly (keyof Row & string)[] | null,
  open: (record: SourceRecord) => SingleRow<Row>,
): RowEncoder {
  const block = createObjectBlock(columns)

  const isDenied = (opened: SingleRow<Row>, denials: Denials | undefined): boolean =>
    kept !== null &&
    denials !== undefined &&
    !('refused' in opened) &&
    denials.concerns(opened.projectId) &&
    denials.denies(opened.projectId, opened.traceId)

  function tombstoneOf(row: Row): RowOf<Record<string, unknown>> {
    const { event_ts } = row as unknown as Versioned
    const deleted: Versioned = { event_ts: event_ts + tombstoneTicks, is_deleted: 1 }
    return { ...Object.fromEntries(kept!.map(name => [name, row[name]])), ...deleted }
  }

  return {
    encode(records, only, denials) {
      const rejected: RejectedRow[] = []
      let denied = 0
      for (const record of records) {
        const opened = open(record)
        const { offset, value } = record
        if ('refused' in opened) {
          const { projectId, refused: message } = opened
          rejected.push({ offset, index: 0, reason: 'start_time_range', message, raw: value.slice(), projectId })
          continue
        }
        const isGone = isDenied(opened, denials)
        if (isGone) denied += 1
        if (only === undefined || only.get(offset)?.has(0)) block.add(isGone ? tombstoneOf(opened.row) : opened.row)
      }
      const { repairedTexts, ...encoded } = block.finish()
      return { ...encoded, items: records.length - rejected.length, denied, rejected, outcomes: { repaired_text: repairedTexts } }
    },
    places: (records, denials) =>
      records.flatMap(record => {
        const opened = open(record)
        const { offset, timestampMs } = record
        const versionUs = timestampMs * 1000 + (isDenied(opened, denials) ? tombstoneTicks * tickUs : 0)
        return 'refused' in opened ? [] : [{ key: opened.key, versionUs, offset, index: 0 }]
      }),
    raws: (records, only) =>
      records
        .filter(({ offset }) => only.get(offset)?.has(0))
        .map(record => ({ offset: record.offset, index: 0, projectId: open(record).projectId, raw: record.value.slice() })),
  }
}
