import { z } from 'zod'
import { describedAs, nested } from '../fields/json-schema.ts'
import { maxScores } from '../fields/limits.ts'
import { ScoreV3 } from '../shared/types.ts'
import { createScore } from './score.ts'

export const CreateScoreBatchError = z
  .object({
    /** The name of the score, followed by the reason for the rejection. */
    message: z.string(),
    index: z.int(),
    id: z.string().optional(),
  })
  .meta({ id: 'CreateScoreBatchError' })

export const CreateScoreBatchResponse = z
  .object({
    message: z.literal('Accepted'),
  })
  .meta({ id: 'CreateScoreBatchResponse' })

export const CreateScoreBatchResults = z
  .object({
    accepted: z.int(),
    rejected: z.int(),
    errors: z.array(CreateScoreBatchError),
  })
  .meta({ id: 'CreateScoreBatchResults' })

export const CreateScoreSource = z.enum(['API', 'ANNOTATION']).meta({ id: 'CreateScoreSource' })

export const CreateScoreRequest = createScore.meta({ id: 'CreateScoreRequest' })

/** An array of scores, which are checked individually, or a single score from an older SDK. */
export const CreateScoresRequest = describedAs(z.unknown(), () => ({
  anyOf: [{ type: 'array', items: nested(CreateScoreRequest), minItems: 1, maxItems: maxScores }, nested(CreateScoreRequest)],
}))

/** Response to a request with a single score. The server generates the id if the request omits it. */
export const CreateScoreResponse = z.object({ id: z.string() }).meta({ id: 'CreateScoreResponse' })

export const CreateScoresResponse = z.union([CreateScoreBatchResults, CreateScoreBatchResponse]).meta({ id: 'CreateScoresResponse' })

export const GetScoresV3Meta = z
  .object({
    cursor: z.string().nullish(),
    limit: z.int(),
  })
  .meta({ id: 'GetScoresV3Meta' })

export const GetScoresV3Response = z
  .object({
    data: z.array(ScoreV3),
    meta: GetScoresV3Meta,
  })
  .meta({ id: 'GetScoresV3Response' })
