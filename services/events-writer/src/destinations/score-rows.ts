// Turns a score's record into a row of v3's `scores` (contract §11.7). No side effects.
import { timeWindow } from '@svc-server/otlp/time-window'
import { decodeScoreEvent, type ScoreEvent } from '@svc-server/schema/score-event'
import { metadataMap } from './metadata-map.ts'
import type { SourceRecord } from './row-encoder.ts'
import type { SingleRow } from './single-row-encoder.ts'

const dayMs = 86_400_000
/** The engine rejects an insert that touches more than a hundred months. */
const maxAgeMonths = 96

/** Throws UndecodableRecord. */
export function scoreRowOf({ timestampMs, value }: SourceRecord): SingleRow<ReturnType<typeof rowOf>> {
  const event = decodeScoreEvent(value)
  const atMs = Math.floor(event.timestampUs / 1000)
  const { projectId, id, name } = event
  if (!isStorable(event, atMs))
    return { projectId, refused: 'The time of the score is more than 96 months in the past or more than a month in the future.' }
  return { projectId, traceId: event.traceId, row: rowOf(event, atMs, timestampMs), key: [projectId, Math.floor(atMs / dayMs), name, id] }
}

/** The age of a deletion is not checked, because a deletion has the time of the row that it deletes. */
function isStorable({ deleted, receivedAtMs }: ScoreEvent, atMs: number): boolean {
  if (deleted) return atMs >= 0
  const { earliestMs, latestMs } = timeWindow(receivedAtMs, maxAgeMonths)
  return atMs >= earliestMs && atMs <= latestMs
}

const rowOf = (event: ScoreEvent, atMs: number, appendedMs: number) => ({
  id: event.id,
  timestamp: atMs,
  project_id: event.projectId,
  environment: event.environment,
  trace_id: event.traceId,
  session_id: event.sessionId,
  dataset_run_id: event.datasetRunId,
  observation_id: event.observationId,
  name: event.name,
  value: event.value,
  source: event.source,
  comment: event.comment,
  metadata: metadataMap(event.metadata),
  author_user_id: event.authorUserId,
  config_id: event.configId,
  data_type: event.dataType,
  string_value: event.stringValue,
  queue_id: event.queueId,
  created_at: appendedMs,
  updated_at: appendedMs,
  event_ts: appendedMs,
  is_deleted: event.deleted ? 1 : 0,
  execution_trace_id: event.executionTraceId,
  long_string_value: event.longStringValue,
  ingestion_api_key: event.apiKey,
  ingestion_sdk_name: event.sdkName,
  ingestion_sdk_version: event.sdkVersion,
})
