import { z } from 'zod'
import { maxIdLength, responseTime, storedName, storedText } from '../fields/fields.ts'
import { describedAs } from '../fields/json-schema.ts'
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

/** The server trims surrounding white space. */
export const CommentContent = describedAs(storedText.transform(text => text.trim()).pipe(z.string().min(1).max(5_000)), () => ({
  ...{ type: 'string', minLength: 1, maxLength: 5_000 },
}))

/** Unknown keys are rejected, because they are mistakes by the caller. */
export const CreateCommentRequest = z
  .strictObject({
    /** Clients send a project id, but the server uses the API key's project. */
    projectId: storedText,
    /** In published clients, this field is any string, but the server accepts only these values. */
    objectType: z.string().pipe(z.enum(CommentObjectType.options)),
    objectId: storedName(maxIdLength),
    content: CommentContent,
    authorUserId: storedName(maxIdLength).nullish(),
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
