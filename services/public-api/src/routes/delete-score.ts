// DELETE /api/public/scores/{scoreId}: a tombstone for each row that the table has of it, one for what is still
// on its way, so that no reader of ours sees it, and a command, by which that is hidden from everybody once it is
// stored.
import type { NewRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import type { Accepted } from '@svc-server/schema/accepted'
import { commandKey, encodeCommand } from '@svc-server/schema/command'
import type { ScoreEvent } from '@svc-server/schema/score-event'
import { json } from '../http/answers.ts'
import type { CallerRequest, Endpoint } from '../http/endpoint.ts'
import { scoreRecord } from '../recorder.ts'
import { maxIdLength } from '../schemas/fields.ts'
import type { ScoreKey, ScoreReader } from '../scores/read.ts'
import type { RouteTools } from './tools.ts'

export interface DeleteScoreOptions extends Pick<RouteTools, 'acceptanceOf' | 'metrics'> {
  readonly keysOf: ScoreReader['keysOf']
  readonly append: (topic: string, records: readonly NewRecord[]) => Promise<void>
}

export function deleteScoreRoutes({ acceptanceOf, metrics, keysOf, append }: DeleteScoreOptions): readonly Endpoint[] {
  async function remove(request: CallerRequest) {
    const acceptance = acceptanceOf(request)
    const id = request.params['scoreId'] ?? ''
    // No score has such an id.
    if (id.length <= maxIdLength) {
      const deleted = (keys: readonly ScoreKey[]) =>
        append(
          topicNames.scores,
          keys.map(key => scoreRecord({ ...tombstone, ...acceptance, ...key, id })),
        )
      for await (const keys of keysOf(acceptance.projectId, id)) await deleted(keys)
      // What is still on its way.
      await deleted([{ name: '', timestampUs: acceptance.receivedAtMs * 1000 }])
      const { projectId, receivedAtMs, writeMode } = acceptance
      const command = {
        projectId,
        kind: 'delete_score',
        traceId: id.toWellFormed(),
        value: null,
        acceptedAtMs: receivedAtMs,
        writeMode,
      } as const
      await append(topicNames.commands, [{ key: Buffer.from(commandKey(command)), value: encodeCommand(command) }])
      metrics.scores.inc({ outcome: 'deleted' })
    }
    return json(202, { message: 'Score deletion queued successfully' })
  }
  return [{ method: 'DELETE', path: '/api/public/scores/:scoreId', kind: 'reader', answer: remove }]
}

/** What a tombstone says beside its key. */
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
