// Subqueries for joins with the rows of a chunk. Each subquery selects only traces of the chunk, because the engine keeps the subquery's
// result in memory.
import { inPrefix, type KeyColumn, type KeyRange } from './key-range.ts'
import { scratchNames } from './scratch.ts'
import type { Session } from './session.ts'

const traceKey: readonly KeyColumn[] = ['project_id', 'id'].map(sql => ({ sql, type: 'String' }))

/**
 * For each trace that has an undeleted row in the backfill's copy of `traces`, selects the properties of the newest such row. Only traces
 * whose project id and trace id are within `ends` are read.
 */
export const tracesOf = ({ dialect }: Session, pairs: string, ends: KeyRange): string =>
  `SELECT project_id, id, timestamp, name, version, release, user_id, session_id, tags, public, bookmarked FROM (
     SELECT * FROM ${dialect.table(scratchNames.traces)} WHERE ${inPrefix(traceKey, ends)} AND (project_id, id) IN (${pairs})
     ORDER BY event_ts DESC LIMIT 1 BY project_id, id, timestamp
   ) WHERE is_deleted = 0 ORDER BY event_ts DESC, timestamp DESC LIMIT 1 BY project_id, id`

export const rootsOf = ({ dialect }: Session, pairs: string): string =>
  `SELECT project_id, trace_id, min(span_id) AS span_id FROM ${dialect.table(scratchNames.roots)}
   WHERE (project_id, trace_id) IN (${pairs}) GROUP BY project_id, trace_id`
