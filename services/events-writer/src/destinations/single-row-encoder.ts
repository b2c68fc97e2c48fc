// The encoder of tables of which every record is one row, its version the time of its append: what differs is
// how a record is read, and what the table cannot hold.
import type { Column } from '@svc-server/schema/events/columns'
import { createObjectBlock } from './object-block.ts'
import type { RejectedRow, RowEncoder, RowPlace, SourceRecord } from './row-encoder.ts'
import type { RowOf } from './row-writer.ts'

export type SingleRow<Row> =
  | { readonly projectId: string; readonly row: Row; readonly key: RowPlace['key'] }
  /** Why the table cannot hold it: a sentence. */
  | { readonly projectId: string; readonly refused: string }

/** `open` throws UndecodableRecord. */
export function createSingleRowEncoder<Row extends RowOf<Row>>(
  columns: readonly Column[],
  open: (record: SourceRecord) => SingleRow<Row>,
): RowEncoder {
  const block = createObjectBlock(columns)
  return {
    encode(records, only) {
      const rejected: RejectedRow[] = []
      for (const record of records) {
        const opened = open(record)
        const { offset, value } = record
        if ('refused' in opened) {
          const { projectId, refused: message } = opened
          rejected.push({ offset, index: 0, reason: 'start_time_range', message, raw: value.slice(), projectId })
        } else if (only === undefined || only.get(offset)?.has(0)) block.add(opened.row)
      }
      const { repairedTexts, ...encoded } = block.finish()
      return { ...encoded, items: records.length - rejected.length, rejected, outcomes: { repaired_text: repairedTexts } }
    },
    places: records =>
      records.flatMap(record => {
        const opened = open(record)
        const { offset, timestampMs } = record
        return 'refused' in opened ? [] : [{ key: opened.key, versionUs: timestampMs * 1000, offset, index: 0 }]
      }),
    raws: (records, only) =>
      records
        .filter(({ offset }) => only.get(offset)?.has(0))
        .map(record => ({ offset: record.offset, index: 0, projectId: open(record).projectId, raw: record.value.slice() })),
  }
}
