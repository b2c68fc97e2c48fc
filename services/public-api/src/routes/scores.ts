// Scores: POST and DELETE /api/public/scores (contract §4.2; public-api-data.md §1.1). Every rule is checked
// before the answer.
import { randomUUID } from 'node:crypto'
import type { NewRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import type { Acceptance } from '../events/acceptance.ts'
import { InvalidBody } from '../events/invalid-body.ts'
import { refused, sentenceOf } from '../events/refusals.ts'
import type { ScoreItem } from '../events/score-batch.ts'
import { json } from '../http/answers.ts'
import type { BodyRequest, Endpoint } from '../http/endpoint.ts'
import { maxBodyBytes } from '../limits.ts'
import { scoreRecord } from '../recorder.ts'
import { isSet } from '../schemas/score.ts'
import { resolveScore, type ScoreProblem } from '../scores/resolve.ts'
import type { RouteTools } from './tools.ts'

interface RejectedScore {
  /** As clients print it: the score's name, then why. */
  readonly message: string
  readonly index: number
  readonly id?: string
}

type Outcome =
  | { readonly ok: true; readonly id: string; readonly record: NewRecord }
  | { readonly ok: false; readonly rejected: RejectedScore; readonly problem?: ScoreProblem }

export function scoreWriteRoutes(tools: RouteTools): readonly Endpoint[] {
  const { planner, recorder, configsOf, environmentOf, metrics, sdkUsage } = tools

  async function outcomesOf(items: readonly ScoreItem[], acceptance: Acceptance): Promise<readonly Outcome[]> {
    const configIds = items.flatMap(item => (item.ok && isSet(item.score.configId) ? [item.score.configId] : []))
    const configs = await configsOf(acceptance.projectId, configIds)
    return items.map((item, index) => {
      if (!item.ok) return { ok: false, rejected: rejection(index, item.name, item.id, sentenceOf(item.issues)) }
      const { score, timestampUs = acceptance.receivedAtMs * 1000 } = item
      const id = isSet(score.id) ? score.id : randomUUID()
      const config = isSet(score.configId) ? configs.get(score.configId) : undefined
      const resolved = resolveScore(score, { acceptance, id, timestampUs, environmentOf, config })
      if (resolved.ok) return { ok: true, id, record: scoreRecord(resolved.event) }
      const { field, message } = resolved.problem
      const rejected = rejection(index, score.name, score.id ?? undefined, `${field}: ${message}`)
      return { ok: false, rejected, problem: resolved.problem }
    })
  }

  async function create(request: BodyRequest) {
    const acceptance = tools.acceptanceOf(request)
    const { projectId, receivedAtMs } = acceptance
    const job = { kind: 'scores', body: request.body, window: tools.windowAt(receivedAtMs) } as const
    const { isArray, items } = await planner.plan(job, projectId)
    const outcomes = await outcomesOf(items, acceptance)
    const accepted = outcomes.filter(outcome => outcome.ok)
    // All of a request have one append time, so nothing later could tell which of one id is the last.
    const lastOfEach = new Map(accepted.map(({ id, record }) => [id, record]))
    await recorder.record(request, { [topicNames.scores]: [...lastOfEach.values()] })
    metrics.scores.inc({ outcome: 'accepted' }, accepted.length)
    const { sdkName, sdkVersion } = acceptance
    if (accepted.length > 0) sdkUsage.count({ projectId, sdkName, sdkVersion, path: 'scores', scores: accepted.length })
    metrics.scores.inc({ outcome: 'rejected' }, outcomes.length - accepted.length)
    if (!isArray) return answerOne(outcomes[0]!)
    if (accepted.length === outcomes.length) return json(202, { message: 'Accepted' })
    const errors = outcomes.flatMap(outcome => (outcome.ok ? [] : [outcome.rejected]))
    return json(207, { accepted: accepted.length, rejected: errors.length, errors })
  }

  return [{ method: 'POST', path: '/api/public/scores', kind: 'body', access: 'scores', maxBytes: maxBodyBytes, answer: create }]
}

/** One object, as older SDKs send it. */
function answerOne(outcome: Outcome) {
  if (outcome.ok) return json(200, { id: outcome.id })
  const { problem, rejected } = outcome
  if (problem?.missing) return json(404, { message: problem.message, error: 'SvcNotFoundError' })
  throw new InvalidBody(refused(problem?.message ?? rejected.message, problem === undefined ? [] : [problem.field]))
}

const rejection = (index: number, name: string | undefined, id: string | undefined, reason: string): RejectedScore => ({
  message: `${name?.slice(0, 200) ?? `Score ${index}`}: ${reason}`,
  index,
  ...(isSet(id) && { id: id.slice(0, 200) }),
})
