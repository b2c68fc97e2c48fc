import { isSet } from '@svc-server/api/fields/fields'
import type { NewRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import type { Terms } from '../../events/acceptance.ts'
import type { EventOutcome, EventRefusal } from '../../events/event.ts'
import { type Held, scoreRecord } from '../../events/recorder.ts'
import type { Dependencies } from '../../request/dependencies.ts'
import { resolveScore } from '../../scores/resolve.ts'

interface Accepting {
  readonly terms: Terms
  readonly held: Held
}

type AcceptDependencies = Pick<Dependencies, 'recorder' | 'configsOf' | 'environmentOf' | 'metrics' | 'sdkUsage'>

export interface BatchAnswer {
  readonly successes: readonly { readonly id: string; readonly status: 201 }[]
  readonly errors: readonly EventRefusal[]
}

type ScoreOutcome = Extract<EventOutcome, { kind: 'score' }>

interface TakenScore {
  readonly atUs: number
  readonly record: NewRecord
}

/**
 * If a batch contains several versions of a score, the version with the latest time becomes the newest row, whatever its position in the
 * batch (contract §14.4). If two versions have the same time, the record that comes later in byte order is appended later.
 */
const byTime = (a: TakenScore, b: TakenScore): number => a.atUs - b.atUs || Buffer.compare(a.record.value!, b.record.value!)

/**
 * Resolves when all accepted items are durable. Throws the errors of the log and the relational store; the client then retries the batch.
 */
export async function accept(
  { terms, held }: Accepting,
  outcomes: readonly EventOutcome[],
  deps: AcceptDependencies,
): Promise<BatchAnswer> {
  const { acceptance } = terms
  const { projectId, sdkName, sdkVersion } = acceptance
  const configIds = outcomes.flatMap(outcome => (outcome.kind === 'score' && isSet(outcome.score.configId) ? [outcome.score.configId] : []))
  const configs = await deps.configsOf(projectId, configIds)
  const successes: { readonly id: string; readonly status: 201 }[] = []
  const errors: EventRefusal[] = []
  const events: NewRecord[] = []
  const scores: TakenScore[] = []

  function takeScore({ id, scoreId, score, timestampUs }: ScoreOutcome): void {
    const config = isSet(score.configId) ? configs.get(score.configId) : undefined
    const resolved = resolveScore(score, { acceptance, id: scoreId, timestampUs, environmentOf: deps.environmentOf, config })
    if (resolved.ok) {
      scores.push({ atUs: timestampUs, record: scoreRecord(resolved.event) })
      successes.push({ id, status: 201 })
      return
    }
    const { field, message, missing } = resolved.problem
    const error = `body.${field}: ${message}`
    errors.push(
      missing ? { id, status: 404, message: 'Resource not found', error } : { id, status: 400, message: 'Invalid request data', error },
    )
  }

  let dropped = 0
  let byMode = 0
  for (const outcome of outcomes) {
    if (outcome.kind === 'score') takeScore(outcome)
    else if (outcome.kind === 'refused') {
      errors.push(outcome.refusal)
      if (outcome.byMode) byMode++
    } else if (outcome.kind === 'dropped') dropped++
    else {
      events.push(outcome.record)
      successes.push({ id: outcome.id, status: 201 })
    }
  }
  await deps.recorder.record(held, {
    [topicNames.ingestion]: events,
    [topicNames.scores]: scores.sort(byTime).map(({ record }) => record),
  })
  deps.metrics.events.inc({ outcome: 'accepted' }, successes.length)
  deps.metrics.events.inc({ outcome: 'rejected' }, errors.length)
  deps.metrics.events.inc({ outcome: 'dropped' }, dropped)
  if (byMode > 0) deps.sdkUsage.count({ projectId, sdkName, sdkVersion, path: 'refused', events: byMode })
  if (successes.length > 0) {
    deps.sdkUsage.count({ projectId, sdkName, sdkVersion, path: 'ingestion', events: events.length, scores: scores.length })
  }
  return { successes, errors }
}
