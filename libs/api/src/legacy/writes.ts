// Single writes of the legacy API (contract §§20.2, 20.3). Each write becomes one event. In `events_only`, the server rejects these writes
// (contract §4.4).
import { z } from 'zod'
import { id, optionalId } from '../fields/fields.ts'
import { eventBody, generationBody, spanBody, traceBody } from '../ingestion/events.ts'
import { operation } from '../operation.ts'
import { ErrorBody } from '../shared/errors.ts'

const generationRequest = z.object({ ...generationBody.shape, prompt: z.unknown().optional(), completion: z.unknown().optional() })

const shared = {
  auth: 'project',
  responses: { 200: z.object({ id: z.string() }), 413: ErrorBody },
  bucket: 'legacy-ingestion',
  gate: 'notInEventsOnly',
  replacedBy: 'Use OpenTelemetry spans at POST /api/public/otel/v1/traces',
  surface: 'legacy',
} as const

export const createTrace = operation({
  ...shared,
  id: 'legacy.createTrace',
  method: 'POST',
  path: '/api/public/traces',
  body: traceBody,
  summary: 'Create or update a trace.',
})

export const createSpan = operation({
  ...shared,
  id: 'legacy.createSpan',
  method: 'POST',
  path: '/api/public/spans',
  body: spanBody,
  summary: 'Create a span.',
})

export const updateSpan = operation({
  ...shared,
  id: 'legacy.updateSpan',
  method: 'PATCH',
  path: '/api/public/spans',
  body: spanBody.omit({ id: true }).extend({ spanId: id }),
  summary: 'Update a span.',
})

export const createGeneration = operation({
  ...shared,
  id: 'legacy.createGeneration',
  method: 'POST',
  path: '/api/public/generations',
  body: generationRequest,
  summary: 'Create a generation.',
})

export const updateGeneration = operation({
  ...shared,
  id: 'legacy.updateGeneration',
  method: 'PATCH',
  path: '/api/public/generations',
  body: generationRequest.omit({ id: true }).extend({ generationId: id }),
  summary: 'Update a generation.',
})

export const createEvent = operation({
  ...shared,
  id: 'legacy.createEvent',
  method: 'POST',
  path: '/api/public/events',
  body: eventBody.extend({ id: optionalId }),
  summary: 'Create an event.',
})
