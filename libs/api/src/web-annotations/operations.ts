// Scores and comments for the trace view. A trace's scores and comments are listed with its root observation (contract §2.2).
import { z } from 'zod'
import { Comment, CommentContent, GetCommentsResponse } from '../comments/types.ts'
import { maxIdLength, storedName } from '../fields/fields.ts'
import { limitParameter, pageParameters, queryText } from '../fields/query.ts'
import { operation } from '../operation.ts'
import { GetScoresV3Response } from '../scores/types.ts'

const inTrace = '/api/ui/projects/{projectId}/traces/{traceId}' as const

const common = {
  auth: 'project',
  surface: 'private',
  gate: 'previewOptIn',
  bucket: 'none',
  errors: ['not_found', 'column_store_overloaded', 'column_store_unavailable'],
} as const

export const getScores = operation({
  ...common,
  id: 'webAnnotations.getScores',
  method: 'GET',
  path: `${inTrace}/observations/{observationId}/scores`,
  query: z.object({ limit: limitParameter({ max: 100 }), cursor: queryText }),
  responses: { 200: GetScoresV3Response },
  waits: true,
  summary: 'List the scores of an observation, newest first. For the root observation, the scores of the trace are included.',
})

export const getComments = operation({
  ...common,
  id: 'webAnnotations.getComments',
  method: 'GET',
  path: `${inTrace}/observations/{observationId}/comments`,
  query: z.object({ ...pageParameters() }),
  responses: { 200: GetCommentsResponse },
  waits: true,
  summary: 'List the comments on an observation, newest first. For the root observation, the comments on the trace are included.',
})

export const createComment = operation({
  ...common,
  id: 'webAnnotations.createComment',
  method: 'POST',
  path: `${inTrace}/comments`,
  /** Without an observation id, the comment belongs to the root observation. */
  body: z.strictObject({ content: CommentContent, observationId: storedName(maxIdLength).optional() }),
  responses: { 200: Comment },
  summary:
    'Comment on an observation of a trace. Without an observation id, the comment belongs to the root observation. If the root observation is not stored yet, the comment belongs to the trace.',
})
