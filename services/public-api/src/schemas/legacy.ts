// Bodies of the single routes of the legacy API (public-api-legacy.md §4.3), and the event that each becomes.
import { z } from 'zod'
import { type EventType, eventBody, generationBody, spanBody, traceBody } from './events.ts'
import { id, optionalId } from './fields.ts'

export interface LegacyWrite {
  readonly method: 'POST' | 'PATCH'
  readonly path: string
  readonly type: EventType
  readonly body: z.ZodType
  /** Of the event's body, by that of the request. */
  readonly bodyOf: (body: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
}

const asIs = (body: Readonly<Record<string, unknown>>) => body
const named = (key: string) => (body: Readonly<Record<string, unknown>>) => {
  const { [key]: entityId, ...rest } = body
  return { ...rest, id: entityId }
}

const generationFields = generationBody.shape
const generationRequest = z.object({ ...generationFields, prompt: z.unknown().optional(), completion: z.unknown().optional() })

/** Prompt and completion are the input and output of a generation. */
const withPrompt = (body: Readonly<Record<string, unknown>>) => {
  const { prompt, completion, ...rest } = body
  return { ...(prompt !== undefined && { input: prompt }), ...(completion !== undefined && { output: completion }), ...rest }
}

export const legacyWrites: readonly LegacyWrite[] = [
  { method: 'POST', path: '/traces', type: 'trace-create', body: traceBody, bodyOf: asIs },
  { method: 'POST', path: '/spans', type: 'span-create', body: spanBody, bodyOf: asIs },
  {
    method: 'PATCH',
    path: '/spans',
    type: 'span-update',
    body: spanBody.omit({ id: true }).extend({ spanId: id }),
    bodyOf: named('spanId'),
  },
  { method: 'POST', path: '/generations', type: 'generation-create', body: generationRequest, bodyOf: withPrompt },
  {
    method: 'PATCH',
    path: '/generations',
    type: 'generation-update',
    body: generationRequest.omit({ id: true }).extend({ generationId: id }),
    bodyOf: body => withPrompt(named('generationId')(body)),
  },
  { method: 'POST', path: '/events', type: 'event-create', body: eventBody.extend({ id: optionalId }), bodyOf: asIs },
]
