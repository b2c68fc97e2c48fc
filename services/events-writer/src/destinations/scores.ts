// v3's `scores`, one row a score in every write mode; a deletion is a row, too.
import { sourcesOf } from '@svc-server/modes/flows'
import type { Destination } from './destination.ts'
import type { RejectedRow, RowEncoder, RowPlace, SourceRecord } from './row-encoder.ts'

export const scores: Destination = {
  table: 'scores',
  sources: writeMode => sourcesOf('scores', writeMode),
  key: [
    { sql: 'project_id', kind: 'repeated' },
    // As v3 itself, the server has to be set to UTC.
    { sql: 'toDate(timestamp)', kind: 'day' },
    { sql: 'name', kind: 'repeated' },
    { sql: 'id', kind: 'text' },
  ],
  version: 'event_ts',
  monthOf: 'toDate(timestamp)',
  provenance: null,
  dependent: null,
  rules: { name: 'scores', version: '1' },
  createEncoder,
}

async function createEncoder(): Promise<RowEncoder> {
  const { scoresColumns } = await import('@svc-server/schema/old-tables/columns')
  const { createObjectBlock } = await import('./object-block.ts')
  const { scoreRowOf } = await import('./score-rows.ts')
  const block = createObjectBlock(scoresColumns)

  const rejectionOf = ({ offset, value }: SourceRecord, projectId: string): RejectedRow => ({
    offset,
    index: 0,
    reason: 'start_time_range',
    message: 'The score is older than 96 months, or more than a month ahead.',
    raw: value.slice(),
    projectId,
  })

  return {
    encode(records, only) {
      const rejected: RejectedRow[] = []
      for (const record of records) {
        const made = scoreRowOf(record)
        if (made.row === undefined) rejected.push(rejectionOf(record, made.event.projectId))
        else if (only === undefined || only.get(record.offset)?.has(0)) block.add(made.row)
      }
      const { repairedTexts, ...encoded } = block.finish()
      return { ...encoded, items: records.length - rejected.length, rejected, outcomes: { repaired_text: repairedTexts } }
    },
    places: records => records.map(record => scoreRowOf(record).place).filter((place): place is RowPlace => place !== undefined),
    raws: (records, only) =>
      records
        .filter(({ offset }) => only.get(offset)?.has(0))
        .map(record => ({ offset: record.offset, index: 0, projectId: scoreRowOf(record).event.projectId, raw: record.value.slice() })),
  }
}
