// Schemas of scores as clients send them (contract §17.1; contract §14.3). In addition, the handler checks each score against its score
// configuration.
import { z } from 'zod'
import { isSet, json, optionalId, optionalTime, text } from '../fields/fields.ts'

const maxTextScore = 500
/**
 * Maximum length of a score's name. Trace names have the same maximum length. The name is part of the key of the score's row. Queries
 * contain such keys, so the limit keeps the queries short.
 */
const maxNameLength = 1_000

const fields = z.object({
  id: optionalId,
  name: z.string().min(1).max(maxNameLength),
  value: z.union([z.number(), z.string()], { error: 'Expected a number or a text. The value of a BOOLEAN score must be 0 or 1.' }),
  traceId: optionalId,
  observationId: optionalId,
  sessionId: optionalId,
  datasetRunId: optionalId,
  environment: text,
  comment: text,
  metadata: json,
  queueId: optionalId,
  configId: optionalId,
  dataType: z.enum(['NUMERIC', 'CATEGORICAL', 'BOOLEAN', 'CORRECTION', 'TEXT']).nullish(),
})

type Fields = z.infer<typeof fields> & { readonly source?: 'API' | 'EVAL' | 'ANNOTATION' | null | undefined }
type Issue = (path: string, message: string) => void

const subjects = ['traceId', 'observationId', 'sessionId', 'datasetRunId'] as const

function checkSubject(score: Fields, issue: Issue): void {
  const given = subjects.filter(key => key !== 'observationId' && isSet(score[key]))
  if (given.length === 1 && (!isSet(score.observationId) || given[0] === 'traceId')) return
  const message = 'Provide exactly one of traceId (with optional observationId), sessionId or datasetRunId; observationId requires traceId.'
  issue(subjects.join(','), message)
}

/** Returns undefined if the data type allows `value`, and otherwise a sentence that describes the allowed values. */
export function valueProblem(dataType: NonNullable<Fields['dataType']>, value: number | string): string | undefined {
  switch (dataType) {
    case 'NUMERIC':
      return typeof value === 'number' ? undefined : 'The value of a NUMERIC score must be a number.'
    case 'BOOLEAN':
      return value === 0 || value === 1 ? undefined : 'The value of a BOOLEAN score must be 0 or 1.'
    case 'TEXT':
      return typeof value === 'string' && value.length >= 1 && value.length <= maxTextScore
        ? undefined
        : `The value of a TEXT score must be a text of 1 to ${maxTextScore} characters.`
    default:
      return typeof value === 'string' ? undefined : `The value of a ${dataType} score must be a text.`
  }
}

function checkScore(score: Fields, issue: Issue): void {
  checkSubject(score, issue)
  const { dataType, value, configId, source } = score
  const problem = dataType ? valueProblem(dataType, value) : undefined
  if (problem !== undefined) issue('value', problem)
  if (dataType === 'CORRECTION') {
    if (isSet(configId)) issue('configId', 'A CORRECTION must not have a configId.')
    if (isSet(score.sessionId)) issue('sessionId', 'A CORRECTION must belong to a trace or an observation.')
    if (isSet(score.datasetRunId)) issue('datasetRunId', 'A CORRECTION must belong to a trace or an observation.')
  } else if (source === 'ANNOTATION' && !isSet(configId)) {
    issue('configId', 'A score of source ANNOTATION needs a configId, unless it is a CORRECTION.')
  }
}

const whole = (score: Fields, context: z.core.$RefinementCtx) =>
  checkScore(score, (path, message) => context.addIssue({ code: 'custom', message, path: path.split(',') }))

/**
 * Converts metadata to JSON text before the score is passed to another thread. That thread would rebuild an object member by member. If the
 * member names are whole numbers, the rebuilt object takes a thousand times as much memory as its text.
 */
const withText = <Score extends Fields>({ metadata, ...score }: Score) => ({
  ...score,
  metadata: metadata === undefined || metadata === null ? null : JSON.stringify(metadata),
})

/** One score in the body of POST /api/public/scores. */
export const createScore = fields
  .extend({ source: z.enum(['API', 'ANNOTATION']).nullish(), timestamp: optionalTime })
  .superRefine(whole)
  .transform(withText)

/** Body of a `score-create` event. The score's time is the event's time. */
export const ingestedScore = fields
  .extend({ source: z.enum(['API', 'EVAL', 'ANNOTATION']).nullish(), executionTraceId: optionalId })
  .superRefine(whole)
  .transform(withText)

export type ScoreInput = Omit<Fields, 'metadata'> & {
  readonly metadata: string | null
  readonly timestamp?: string | null | undefined
  readonly executionTraceId?: string | null | undefined
}
