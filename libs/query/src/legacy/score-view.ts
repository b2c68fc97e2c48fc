// Converts stored scores to the forms of v1 and v2 (contract §20.6).
import { isoOfMillis } from '../times.ts'
import type { ScoresVersion, StoredScore } from './scores.ts'
import { metadataOf, orNull } from './stored-json.ts'

/** Returns undefined if the data type is unknown. */
function shownValueOf({ data_type, value, string_value, long_string_value }: StoredScore): object | undefined {
  const text = string_value ?? ''
  switch (data_type) {
    case 'NUMERIC':
      return { value }
    case 'BOOLEAN':
      return { value, stringValue: string_value || (value === 1 ? 'True' : 'False') }
    case 'CATEGORICAL':
      return { value, stringValue: text }
    case 'TEXT':
      return { stringValue: text }
    case 'CORRECTION':
      return { value: 0, stringValue: long_string_value }
    default:
      return undefined
  }
}

export const isScore = (row: StoredScore): boolean => shownValueOf(row) !== undefined

export function legacyScoreView(row: StoredScore, version: ScoresVersion) {
  const traceId = orNull(row.trace_id)
  const observationId = orNull(row.observation_id)
  return {
    id: row.id,
    projectId: row.project_id,
    environment: row.environment,
    name: row.name,
    source: row.source,
    authorUserId: orNull(row.author_user_id),
    comment: orNull(row.comment),
    metadata: metadataOf(row.metadata),
    configId: orNull(row.config_id),
    queueId: orNull(row.queue_id),
    executionTraceId: orNull(row.execution_trace_id),
    createdAt: isoOfMillis(row.created_ms),
    updatedAt: isoOfMillis(row.updated_ms),
    timestamp: isoOfMillis(row.at_ms),
    dataType: row.data_type,
    ...shownValueOf(row),
    ...(version === 'v1'
      ? { traceId: traceId ?? '', observationId }
      : { traceId, observationId, sessionId: orNull(row.session_id), datasetRunId: orNull(row.dataset_run_id) }),
  }
}

/** Adds the field `trace` if the query has read the trace. If a score has no trace, this field is an empty object in v1, and null in v2. */
export function listedScoreView(row: StoredScore, version: ScoresVersion) {
  const score = legacyScoreView(row, version)
  if (row.has_trace === undefined) return score
  if (row.has_trace === '') return { ...score, trace: version === 'v1' ? {} : null }
  const trace = {
    ...{ userId: orNull(row.user_id ?? null), tags: row.tags ?? [], environment: row.trace_environment ?? 'default' },
    ...(version === 'v2' && { sessionId: orNull(row.session ?? null) }),
  }
  return { ...score, trace }
}
