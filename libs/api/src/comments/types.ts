// Types of the wire of comments.
import { z } from 'zod'
import { responseTime, storedText } from '../fields/fields.ts'
import { MetaResponse } from '../shared/types.ts'

export const CommentObjectType = z.enum(['TRACE', 'OBSERVATION', 'SESSION', 'PROMPT']).meta({ id: 'CommentObjectType' })

export const Comment = z
  .object({
    id: z.string(),
    projectId: z.string(),
    createdAt: responseTime,
    updatedAt: responseTime,
    objectType: CommentObjectType,
    objectId: z.string(),
    content: z.string(),
    authorUserId: z.string().nullish(),
  })
  .meta({ id: 'Comment' })

export const CreateCommentRequest = z
  .object({
    projectId: storedText,
    objectType: storedText,
    objectId: storedText,
    content: storedText,
    authorUserId: storedText.nullish(),
  })
  .meta({ id: 'CreateCommentRequest' })

export const CreateCommentResponse = z
  .object({
    id: z.string(),
  })
  .meta({ id: 'CreateCommentResponse' })

export const GetCommentsResponse = z
  .object({
    data: z.array(Comment),
    meta: MetaResponse,
  })
  .meta({ id: 'GetCommentsResponse' })
