// Types of the wire of feedback.
import { z } from 'zod'
import { storedText } from '../fields/fields.ts'

export const FeedbackTargetType = z.enum(['skill', 'mcp-tool', 'cli', 'docs', 'public-api', 'other']).meta({ id: 'FeedbackTargetType' })

export const SubmitFeedbackRequest = z
  .object({
    targetType: FeedbackTargetType,
    target: storedText,
    feedback: storedText,
    goal: storedText.nullish(),
    referenceUrl: storedText.nullish(),
  })
  .meta({ id: 'SubmitFeedbackRequest' })

export const SubmitFeedbackResponse = z
  .object({
    id: z.string(),
  })
  .meta({ id: 'SubmitFeedbackResponse' })
