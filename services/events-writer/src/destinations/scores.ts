// v3's table `scores` has one row per score, and one tombstone per deletion. The writer writes to this table in every write mode.
import { sourcesOf } from '@svc-server/modes/flows'
import type { Destination } from './destination.ts'
import type { RowEncoder } from './row-encoder.ts'

export const scores: Destination = {
  table: 'scores',
  sources: writeMode => sourcesOf('scores', writeMode),
  key: [
    { sql: 'project_id', kind: 'repeated' },
    // v3's dates are in UTC.
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
  const { createSingleRowEncoder } = await import('./single-row-encoder.ts')
  const { scoreRowOf } = await import('./score-rows.ts')
  return createSingleRowEncoder(scoresColumns, ['project_id', 'timestamp', 'name', 'id', 'trace_id'], scoreRowOf)
}
