// DELETE /api/public/scores/{scoreId}: a tombstone for each row that the table has of it, and one for what is
// still on its way.
import { topicNames } from '@svc-server/modes/names'
import type { Accepted } from '@svc-server/schema/accepted'
import type { ScoreEvent } from '@svc-server/schema/score-event'
import { json } from '../http/answers.ts'
import type { CallerRequest, Endpoint } from '../http/endpoint.ts'
import { scoreRecord } from '../recorder.ts'
import { maxIdLength } from '../schemas/fields.ts'
import type { ScoreKey, ScoreReader } from '../scores/read.ts'
import type { RouteTools } from './tools.ts'

export interface DeleteScoreOptions extends Pick<RouteTools, 'acceptanceOf' | 'metrics'> {
  readonly keysOf: ScoreReader['keysOf']
  readonly append: (topic: string, records: readonly ReturnType<typeof scoreRecord>[]) => Promise<void>
}

export function deleteScoreRoutes({ acceptanceOf, metrics, keysOf, append }: DeleteScoreOptions): readonly Endpoint[] {
  async function remove(request: CallerRequest) {
    const acceptance = acceptanceOf(request)
    const id = request.params['scoreId'] ?? ''
    // No score has such an id.
    if (id.length <= maxIdLength) {
      const keys = await keysOf(acceptance.projectId, id)
      const onItsWay: ScoreKey = { name: '', timestampUs: acceptance.receivedAtMs * 1000 }
      const tombstones = [...keys, onItsWay].map(key => scoreRecord({ ...tombstone, ...acceptance, ...key, id }))
      await append(topicNames.scores, tombstones)
      metrics.scores.inc({ outcome: 'deleted' })
    }
    return json(202, { message: 'Score deletion queued successfully' })
  }
  return [{ method: 'DELETE', path: '/api/public/scores/:scoreId', kind: 'caller', answer: remove }]
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
