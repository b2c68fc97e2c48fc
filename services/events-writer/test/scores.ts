import type { NewRecord } from '@svc-server/log'
import { encodeScoreEvent, type ScoreEvent } from '@svc-server/schema/score-event'
import { now, projectId, type SpansOptions } from './world.ts'

export const scoreEvent = (more: Partial<ScoreEvent> = {}): ScoreEvent => ({
  projectId,
  apiKey: 'pk-test',
  sdkName: 'javascript',
  sdkVersion: '6.0.0',
  writeMode: 'events_only',
  receivedAtMs: now,
  ingestId: 'ingest',
  deleted: false,
  id: 'score',
  name: 'quality',
  source: 'API',
  dataType: 'NUMERIC',
  value: 0.5,
  stringValue: null,
  longStringValue: '',
  timestampUs: now * 1000,
  traceId: 'trace',
  observationId: null,
  sessionId: null,
  datasetRunId: null,
  environment: 'default',
  comment: null,
  metadata: null,
  configId: null,
  queueId: null,
  authorUserId: null,
  executionTraceId: null,
  ...more,
})

/** Makes scores. Score n has the time `startMs + n * stepMs`. */
export const scoreRecords = ({ count, startMs = now, stepMs = 1 }: SpansOptions): readonly NewRecord[] => {
  const batch = Math.random().toString(36).slice(2)
  return Array.from({ length: count }, (_, at) => {
    const event = scoreEvent({ id: `${batch}-${at}`, timestampUs: (startMs + at * stepMs) * 1000 })
    return { key: null, value: encodeScoreEvent(event), partition: 0 }
  })
}
