import { z } from 'zod'
import { trimmedName } from '../fields/fields.ts'

export const FeedbackTargetType = z.enum(['skill', 'mcp-tool', 'cli', 'docs', 'public-api', 'other']).meta({ id: 'FeedbackTargetType' })

export const SubmitFeedbackRequest = z
  .strictObject({
    targetType: FeedbackTargetType,
    target: trimmedName(200),
    feedback: trimmedName(3_000),
    goal: trimmedName(1_500).nullish(),
    referenceUrl: trimmedName(2_048)
      .refine(text => ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? ''), { message: 'Expected an http or https URL.' })
      .nullish(),
  })
  .meta({ id: 'SubmitFeedbackRequest' })

export const SubmitFeedbackResponse = z
  .object({
    id: z.string(),
  })
  .meta({ id: 'SubmitFeedbackResponse' })
