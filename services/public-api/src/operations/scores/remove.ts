// DELETE /api/public/scores/{scoreId} writes tombstones for the score's stored rows and for its records on the log. The handler also writes
// a command. If a record of the score is stored later, this command hides it.
import { maxIdLength } from '@svc-server/api/fields/fields'
import * as scores from '@svc-server/api/scores/operations'
import { topicNames } from '@svc-server/modes/names'
import type { ScoreKey } from '@svc-server/query/scores'
import type { Accepted } from '@svc-server/schema/accepted'
import { commandKey, encodeCommand } from '@svc-server/schema/command'
import type { ScoreEvent } from '@svc-server/schema/score-event'
import { scoreRecord } from '../../events/recorder.ts'
import { handle, reply } from '../../request/handler.ts'

export const remove = handle(
  scores.remove,
  async ({ params: { scoreId: id }, terms: { acceptance } }, { append, scores: reader, metrics }) => {
    const queued = reply(202, { message: 'Score deletion queued successfully' })
    // No stored score has such a long id.
    if (id.length > maxIdLength) return queued
    const deleted = (keys: readonly ScoreKey[]) =>
      append(
        topicNames.scores,
        keys.map(key => scoreRecord({ ...tombstone, ...acceptance, ...key, id })),
      )
    const { projectId, receivedAtMs: acceptedAtMs, writeMode } = acceptance
    for await (const keys of reader.keysOf(projectId, id)) await deleted(keys)
    // Deletes versions that are still on the log.
    await deleted([{ name: '', timestampUs: acceptedAtMs * 1000 }])
    const command = { projectId, kind: 'delete_score', traceId: id.toWellFormed(), value: null, acceptedAtMs, writeMode } as const
    await append(topicNames.commands, [{ key: Buffer.from(commandKey(command)), value: encodeCommand(command) }])
    metrics.scores.inc({ outcome: 'deleted' })
    return queued
  },
  { queue: 'columnStore' },
)

/** The same in every tombstone. */
const tombstone: Omit<ScoreEvent, keyof Accepted | keyof ScoreKey | 'id'> = {
  deleted: true,
  source: 'API',
  dataType: 'NUMERIC',
  value: 0,
  stringValue: null,
  longStringValue: '',
  traceId: null,
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
}
