// POST /api/public/scores (contract §4.2; contract §17.1). Every rule is checked before the response, so no score is silently dropped
// later.
import { randomUUID } from 'node:crypto'
import { isSet } from '@svc-server/api/fields/fields'
import * as scores from '@svc-server/api/scores/operations'
import type { NewRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import type { Terms } from '../../events/acceptance.ts'
import { scoreRecord } from '../../events/recorder.ts'
import type { ScoreItem } from '../../events/score-batch.ts'
import { userIdOf } from '../../request/callers.ts'
import type { Dependencies } from '../../request/dependencies.ts'
import { handle, type ReplyOf, reply } from '../../request/handler.ts'
import { resolveScore, type ScoreProblem } from '../../scores/resolve.ts'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { refused, sentenceOf } from '../../validation/refusals.ts'

interface RejectedScore {
  readonly message: string
  readonly index: number
  readonly id?: string
}

type Outcome =
  | { readonly ok: true; readonly id: string; readonly record: NewRecord }
  | { readonly ok: false; readonly rejected: RejectedScore; readonly problem?: ScoreProblem }

async function outcomesOf(
  items: readonly ScoreItem[],
  { acceptance }: Terms,
  authorUserId: string | null,
  deps: Dependencies,
): Promise<readonly Outcome[]> {
  const configIds = items.flatMap(item => (item.ok && isSet(item.score.configId) ? [item.score.configId] : []))
  const configs = await deps.configsOf(acceptance.projectId, configIds)
  return items.map((item, index) => {
    if (!item.ok) return { ok: false, rejected: rejection(index, item.name, item.id, sentenceOf(item.issues)) }
    const { score, timestampUs = acceptance.receivedAtMs * 1000 } = item
    const id = isSet(score.id) ? score.id : randomUUID()
    const config = isSet(score.configId) ? configs.get(score.configId) : undefined
    const resolved = resolveScore(score, { acceptance, id, timestampUs, environmentOf: deps.environmentOf, config, authorUserId })
    if (resolved.ok) return { ok: true, id, record: scoreRecord(resolved.event) }
    const { field, message } = resolved.problem
    const rejected = rejection(index, score.name, score.id ?? undefined, `${field}: ${message}`)
    return { ok: false, rejected, problem: resolved.problem }
  })
}

export const create = handle(scores.create, async ({ project, body: { isArray, items }, terms, held }, deps) => {
  const authorUserId = userIdOf(project)
  const outcomes = await outcomesOf(items, terms, authorUserId, deps)
  const accepted = outcomes.filter(outcome => outcome.ok)
  // Keeps the last score of each id. All records of a request have the same append time, so later stages could not tell which score is the
  // last.
  const lastOfEach = new Map(accepted.map(({ id, record }) => [id, record]))
  await deps.recorder.record(held, { [topicNames.scores]: [...lastOfEach.values()] })
  const { projectId, sdkName, sdkVersion } = terms.acceptance
  deps.metrics.scores.inc({ outcome: 'accepted' }, accepted.length)
  deps.metrics.scores.inc({ outcome: 'rejected' }, outcomes.length - accepted.length)
  if (accepted.length > 0 && authorUserId === null)
    deps.sdkUsage.count({ projectId, sdkName, sdkVersion, path: 'scores', scores: accepted.length })
  if (!isArray) return replyToOne(outcomes[0]!)
  if (accepted.length === outcomes.length) return reply(202, { message: 'Accepted' })
  const errors = outcomes.flatMap(outcome => (outcome.ok ? [] : [outcome.rejected]))
  return reply(207, { accepted: accepted.length, rejected: errors.length, errors })
})

/** Responds to a request with a single score. Older SDKs send such requests, and expect an object with the id. */
function replyToOne(outcome: Outcome): ReplyOf<typeof scores.create> {
  if (outcome.ok) return reply(200, { id: outcome.id })
  const { problem, rejected } = outcome
  if (problem?.missing) return reply(404, { message: problem.message, error: 'SvcNotFoundError' })
  throw new InvalidBody(refused(problem?.message ?? rejected.message, problem === undefined ? [] : [problem.field]))
}

const rejection = (index: number, name: string | undefined, id: string | undefined, reason: string): RejectedScore => ({
  message: `${name?.slice(0, 200) ?? `Score ${index}`}: ${reason}`,
  index,
  ...(isSet(id) && { id: id.slice(0, 200) }),
})
