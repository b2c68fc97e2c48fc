import { z } from 'zod'
import { describedAs } from '../fields/json-schema.ts'
import { pageParameters, queryChoice, queryText } from '../fields/query.ts'
import { operation } from '../operation.ts'
import { Comment, CommentObjectType, CreateCommentRequest, CreateCommentResponse, GetCommentsResponse } from './types.ts'

/** In published clients, this field has the type string, but the server accepts only these values. */
const objectType = describedAs(queryChoice(CommentObjectType.options), () => ({ type: 'string' }))

export const create = operation({
  id: 'comments.create',
  method: 'POST',
  path: '/api/public/comments',
  auth: 'project',
  body: CreateCommentRequest,
  responses: { 200: CreateCommentResponse },
  errors: ['not_found', 'bad_request'],
  summary: 'Create a comment on a trace, an observation, a session or a prompt.',
})

export const get = operation({
  id: 'comments.get',
  method: 'GET',
  path: '/api/public/comments',
  auth: 'project',
  query: z.strictObject({
    ...pageParameters(),
    objectType,
    objectId: queryText,
    authorUserId: queryText,
  }),
  responses: { 200: GetCommentsResponse },
  errors: ['bad_request'],
  summary: 'List comments.',
})

export const getById = operation({
  id: 'comments.getById',
  method: 'GET',
  path: '/api/public/comments/{commentId}',
  auth: 'project',
  responses: { 200: Comment },
  errors: ['not_found'],
  emptyRequest: true,
  summary: 'Get a comment.',
})
