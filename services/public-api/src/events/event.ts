// Turns one event of the legacy API into a record, or into a refusal (contract §§14.1, 14.2). No side effects.

import { isSet } from '@svc-server/api/fields/fields'
import { microsOf } from '@svc-server/api/fields/times'
import { type EventType, envelope, eventBodies, isEventType } from '@svc-server/api/ingestion/events'
import type { ScoreInput } from '@svc-server/api/scores/score'
import type { NewRecord } from '@svc-server/log'
import { inTimeWindow, type TimeWindow } from '@svc-server/otlp/time-window'
import { encodeIngestionEvent, entityKey } from '@svc-server/schema/ingestion-event'
import { maxRecordBytes } from '@svc-server/schema/topics'
import { issuesOf, sentenceOf } from '../validation/refusals.ts'
import type { Acceptance, Terms } from './acceptance.ts'
import { derivedId } from './identity.ts'

export interface EventRefusal {
  readonly id: string
  readonly status: number
  readonly message: string
  readonly error?: string
}

export type EventOutcome =
  | { readonly kind: 'record'; readonly id: string; readonly record: NewRecord }
  /** The API must still check the score. If the score names a score configuration, the score must also match this configuration. */
  | { readonly kind: 'score'; readonly id: string; readonly scoreId: string; readonly score: ScoreInput; readonly timestampUs: number }
  | { readonly kind: 'dropped'; readonly id: string }
  /** `byMode`: the write mode refuses this type from every client. */
  | { readonly kind: 'refused'; readonly refusal: EventRefusal; readonly byMode?: true }

const unusableId = 'unknown'
const refuse = (refusal: EventRefusal): EventOutcome => ({ kind: 'refused', refusal })
const invalid = (id: string, error: string): EventOutcome => refuse({ id, status: 400, message: 'Invalid request data', error })

/** Returns the id with which the response names the event, even if the event is invalid. */
function idOf(event: unknown): string {
  const id = typeof event === 'object' && event !== null && 'id' in event ? event.id : undefined
  return typeof id === 'string' && id !== '' ? id.slice(0, 800) : unusableId
}

/** `event` is the parsed JSON. */
export function planEvent(event: unknown, terms: Terms): EventOutcome {
  const id = idOf(event)
  const head = envelope.safeParse(event)
  if (!head.success) return invalid(id, sentenceOf(issuesOf(head.error)))
  const { type, timestamp } = head.data
  if (!isEventType(type)) return invalid(id, `type: There is no event type ${JSON.stringify(type.slice(0, 100))}.`)
  const gate = gateOf(type, terms)
  if (gate !== undefined) return { kind: 'refused', refusal: { id, ...gate }, ...(!terms.scoresOnly && { byMode: true }) }
  const body = eventBodies[type].safeParse((event as { readonly body?: unknown }).body)
  if (!body.success) return invalid(id, sentenceOf(issuesOf(body.error, ['body'])))
  if (type === 'sdk-log') return { kind: 'dropped', id }
  const timestampUs = microsOf(timestamp)!
  const times = { timestamp, ...timesOf(body.data) }
  for (const [field, time] of Object.entries(times)) {
    if (!inTimeWindow(terms.window, microsOf(time)! / 1000)) return invalid(id, `${field}: ${outside(time, terms.window)}`)
  }
  if (type === 'score-create') {
    const score = body.data as ScoreInput
    const scoreId = isSet(score.id) ? score.id : derivedId(terms.acceptance, 'score', id)
    return { kind: 'score', id, scoreId, score, timestampUs }
  }
  return recordOf(type, { id, timestampUs, body: body.data }, terms.acceptance)
}

function gateOf(type: EventType, { acceptance, scoresOnly, upgrade }: Terms): Omit<EventRefusal, 'id'> | undefined {
  if (type === 'score-create') return undefined
  if (scoresOnly)
    return { status: 401, message: 'Authentication error', error: 'A public key without its secret key can send only score-create events.' }
  if (acceptance.writeMode !== 'events_only') return undefined
  const remedy = upgrade ?? 'Upgrade to an SDK that sends OpenTelemetry spans (Python 4, JS/TS 5 or newer)'
  return {
    status: 400,
    message: 'Event type not accepted',
    error: `${type} is not accepted with SVC_MIGRATION_V4_WRITE_MODE=events_only: only score-create is. ${remedy}, or set the variable to dual as a bridge.`,
  }
}

/** Returns the times that determine in which month's partition the rows are stored. */
function timesOf(body: object): Readonly<Record<string, string>> {
  const { timestamp, startTime } = body as { readonly timestamp?: string | null; readonly startTime?: string | null }
  return { ...(timestamp && { 'body.timestamp': timestamp }), ...(startTime && { 'body.startTime': startTime }) }
}

export const outside = (time: string, { earliestMs, latestMs }: TimeWindow): string =>
  `${time} is outside ${new Date(earliestMs).toISOString()} to ${new Date(latestMs).toISOString()}.`

interface ValidEvent {
  readonly id: string
  readonly timestampUs: number
  readonly body: { readonly id?: string | null | undefined }
}

function recordOf(type: EventType, { id: eventId, timestampUs, body }: ValidEvent, acceptance: Acceptance): EventOutcome {
  const entityType = type === 'trace-create' ? 'trace' : 'observation'
  const entityId = isSet(body.id) ? body.id : derivedId(acceptance, entityType, eventId)
  const event = { ...acceptance, entityType, entityId, eventType: type, eventId, timestampUs } as const
  const value = encodeIngestionEvent({ ...event, body: Buffer.from(JSON.stringify({ ...body, id: entityId })) })
  const key = Buffer.from(entityKey(event))
  if (key.length + value.length > maxRecordBytes) {
    return refuse({ id: eventId, status: 413, message: 'Invalid request data', error: `The event is larger than ${maxRecordBytes} bytes.` })
  }
  return { kind: 'record', id: eventId, record: { key, value } }
}
