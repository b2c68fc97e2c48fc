// Turns the body of a single-entity route into an event of the legacy API (contract §§20.2, 20.3). If the body names no trace, a second
// event creates a trace. The function has no side effects, except that it generates ids.
import { randomUUID } from 'node:crypto'
import { isSet } from '@svc-server/api/fields/fields'
import type { EventType } from '@svc-server/api/ingestion/events'
import type { Terms } from './acceptance.ts'
import { type EventOutcome, planEvent } from './event.ts'

export interface WritePlan {
  /** Id of the written entity. */
  readonly id: string
  readonly outcomes: readonly EventOutcome[]
}

type EventBody = Readonly<Record<string, unknown>>

interface Write {
  readonly type: EventType
  /** Converts the body of the request to the body of the event. */
  readonly bodyOf: (body: EventBody) => EventBody
}

const unchanged = (body: EventBody) => body
const named = (key: string) => (body: EventBody) => {
  const { [key]: entityId, ...rest } = body
  return { ...rest, id: entityId }
}

const withPrompt = ({ prompt, completion, ...rest }: EventBody) => ({
  ...(prompt !== undefined && { input: prompt }),
  ...(completion !== undefined && { output: completion }),
  ...rest,
})

const writes = {
  'legacy.createTrace': { type: 'trace-create', bodyOf: unchanged },
  'legacy.createSpan': { type: 'span-create', bodyOf: unchanged },
  'legacy.updateSpan': { type: 'span-update', bodyOf: named('spanId') },
  'legacy.createGeneration': { type: 'generation-create', bodyOf: withPrompt },
  'legacy.updateGeneration': { type: 'generation-update', bodyOf: body => withPrompt(named('generationId')(body)) },
  'legacy.createEvent': { type: 'event-create', bodyOf: unchanged },
} as const satisfies Readonly<Record<string, Write>>

export const planWrite = (operationId: keyof typeof writes) => {
  const { type, bodyOf }: Write = writes[operationId]
  return (body: object, terms: Terms): WritePlan => {
    const timestamp = new Date(terms.acceptance.receivedAtMs).toISOString()
    const given = bodyOf(body as EventBody)
    const id = isSet(given['id'] as string | null | undefined) ? (given['id'] as string) : randomUUID()
    const trace = missingTrace(type, given)
    const plan = (eventType: EventType, eventBody: EventBody) =>
      planEvent({ id: randomUUID(), timestamp, type: eventType, body: eventBody }, { ...terms, scoresOnly: false })
    const outcomes = [
      ...(trace === undefined ? [] : [plan('trace-create', { id: trace })]),
      plan(type, { ...given, id, ...(trace !== undefined && { traceId: trace }) }),
    ]
    return { id, outcomes: outcomes.some(({ kind }) => kind === 'refused') ? outcomes.slice(-1) : outcomes }
  }
}

/**
 * Returns the id of a new trace if the event creates an entity without a trace. For an update, returns undefined, because an update never
 * changes the entity's trace.
 */
const missingTrace = (type: EventType, body: EventBody): string | undefined =>
  type !== 'trace-create' && !type.endsWith('-update') && !isSet(body['traceId'] as string | null | undefined) ? randomUUID() : undefined
