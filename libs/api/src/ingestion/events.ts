// The events of the legacy API (contract §14.2). Unknown keys are dropped. Null is kept, because the merge of events distinguishes it from
// a missing value.
import { z } from 'zod'
import { id, isoTime, json, level, listOf, optionalId, optionalTime, recordOf, text } from '../fields/fields.ts'
import { ingestedScore } from '../scores/score.ts'

export const envelope = z.object({
  id: id.refine(value => !value.includes('\r'), { message: 'Expected text without a carriage return.' }),
  timestamp: isoTime,
  type: z.string(),
})

export const traceBody = z.object({
  id: optionalId,
  timestamp: optionalTime,
  name: z.string().max(1000).nullish(),
  externalId: text,
  input: json,
  output: json,
  sessionId: text,
  userId: text,
  environment: text,
  metadata: json,
  release: text,
  version: text,
  public: z.boolean().nullish(),
  tags: listOf(z.string()).nullish(),
})

const observation = z.object({
  id: optionalId,
  traceId: optionalId,
  environment: text,
  name: text,
  startTime: optionalTime,
  metadata: json,
  input: json,
  output: json,
  level,
  statusMessage: text,
  parentObservationId: optionalId,
  version: text,
})

const count = z.int().nullish()
const amount = z.number().nullish()

/** Clients send usage with the field names of svc or with the field names of OpenAI. */
const usage = z
  .object({
    input: count,
    output: count,
    total: count,
    unit: text,
    inputCost: amount,
    outputCost: amount,
    totalCost: amount,
    promptTokens: count,
    completionTokens: count,
    totalTokens: count,
  })
  .nullish()

const parameter = z.union([z.string(), z.number(), z.boolean(), listOf(z.string()), recordOf(z.string()), z.null()])

const span = observation.extend({ endTime: optionalTime })

const generationFields = {
  completionStartTime: optionalTime,
  model: text,
  modelParameters: recordOf(parameter).nullish(),
  usage,
  usageDetails: recordOf(z.union([z.int().min(0), z.null(), recordOf(count)])).nullish(),
  costDetails: recordOf(amount).nullish(),
  promptName: text,
  promptVersion: count,
}
interface PromptLink {
  readonly promptName?: string | null | undefined
  readonly promptVersion?: number | null | undefined
}

function wholePrompt({ promptName, promptVersion }: PromptLink, context: z.core.$RefinementCtx): void {
  if (((promptName ?? null) === null) === ((promptVersion ?? null) === null)) return
  context.addIssue({ code: 'custom', message: 'Give promptName and promptVersion together, or neither.', path: ['promptVersion'] })
}

const generation = span.extend(generationFields)
const ofAnyType = generation.extend({ type: z.enum(['GENERATION', 'SPAN', 'EVENT']) })

/** An update event must name the observation that it updates. */
const updating = { id }

export const generationBody = generation.superRefine(wholePrompt)
const generationUpdate = generation.extend(updating).superRefine(wholePrompt)
export const spanBody = span
const spanUpdate = span.extend(updating)
export const eventBody = observation

/** Observations of the newer types, such as agents and tools, have the same fields as generations. */
const observationBodies = {
  'event-create': eventBody,
  'span-create': spanBody,
  'span-update': spanUpdate,
  'generation-create': generationBody,
  'generation-update': generationUpdate,
  'agent-create': generationBody,
  'tool-create': generationBody,
  'chain-create': generationBody,
  'retriever-create': generationBody,
  'evaluator-create': generationBody,
  'embedding-create': generationBody,
  'guardrail-create': generationBody,
  'observation-create': ofAnyType.superRefine(wholePrompt),
  'observation-update': ofAnyType.extend(updating).superRefine(wholePrompt),
} as const

/** The internal type `dataset-run-item-create` is not in this list. If a client sends it, the server rejects it as unknown. */
export const eventBodies = {
  'trace-create': traceBody,
  ...observationBodies,
  'score-create': ingestedScore,
  'sdk-log': z.object({ log: z.unknown(), id: text }),
} as const

export type EventType = keyof typeof eventBodies

export const isEventType = (type: string): type is EventType => Object.hasOwn(eventBodies, type)
