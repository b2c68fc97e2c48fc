// What the body of a single route of the legacy API becomes (public-api-legacy.md §§4.2, 4.3): one event, and one of the trace that it lacks.
// Pure but for the ids that nobody gave, so that a thread can do it.
import { randomUUID } from 'node:crypto'
import type { TimeWindow } from '@svc-server/otlp/time-window'
import { type LegacyWrite, legacyWrites } from '../schemas/legacy.ts'
import { isSet } from '../schemas/score.ts'
import type { Acceptance } from './acceptance.ts'
import { parseJson } from './batch.ts'
import { type EventOutcome, planEvent } from './event.ts'
import { InvalidBody } from './invalid-body.ts'
import { issuesOf } from './refusals.ts'

export interface WriteJob {
  readonly kind: 'write'
  readonly body: Uint8Array
  /** Its place among `legacyWrites`: functions do not go to threads. */
  readonly route: number
  readonly acceptance: Acceptance
  readonly window: TimeWindow
}

export interface WritePlan {
  /** Of what is written. */
  readonly id: string
  readonly outcomes: readonly EventOutcome[]
}

type EventBody = Readonly<Record<string, unknown>>

/** Throws InvalidBody. */
export function planWrite({ body, route: at, acceptance, window }: WriteJob): WritePlan {
  const route = legacyWrites[at]!
  const parsed = route.body.safeParse(parseJson(body))
  if (!parsed.success) throw new InvalidBody(issuesOf(parsed.error))
  const timestamp = new Date(acceptance.receivedAtMs).toISOString()
  const given = route.bodyOf(parsed.data as EventBody)
  const id = isSet(given['id'] as string | null | undefined) ? (given['id'] as string) : randomUUID()
  const trace = missingTrace(route, given)
  const plan = (type: LegacyWrite['type'], eventBody: EventBody) =>
    planEvent({ id: randomUUID(), timestamp, type, body: eventBody }, { acceptance, scoresOnly: false, window })
  const outcomes = [
    ...(trace === undefined ? [] : [plan('trace-create', { id: trace })]),
    plan(route.type, { ...given, id, ...(trace !== undefined && { traceId: trace }) }),
  ]
  return { id, outcomes: outcomes.some(({ kind }) => kind === 'refused') ? outcomes.slice(-1) : outcomes }
}

/** What is made without a trace gets one. An update has the trace of what it updates. */
const missingTrace = ({ method, type }: LegacyWrite, body: EventBody): string | undefined =>
  method === 'POST' && type !== 'trace-create' && !isSet(body['traceId'] as string | null | undefined) ? randomUUID() : undefined
