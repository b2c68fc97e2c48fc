// Operations of scores (contract §17.1).
import { z } from 'zod'
import { operation } from '../operation.ts'
import { ErrorBody } from '../shared/errors.ts'
import { scoreQuery, scoreStreamQuery } from './query.ts'
import {
  CreateScoreBatchResponse,
  CreateScoreBatchResults,
  CreateScoreResponse,
  CreateScoresRequest,
  GetScoresV3Response,
} from './types.ts'

export const create = operation({
  id: 'scores.create',
  method: 'POST',
  path: '/api/public/scores',
  auth: 'projectOrPublicKey',
  body: CreateScoresRequest,
  responses: { 200: CreateScoreResponse, 202: CreateScoreBatchResponse, 207: CreateScoreBatchResults, 404: ErrorBody },
  bucket: 'ingestion',
  summary: 'Create scores; each score is accepted or rejected separately.',
})

export const remove = operation({
  id: 'scores.delete',
  method: 'DELETE',
  path: '/api/public/scores/{scoreId}',
  auth: 'project',
  // Deleting an unknown id also succeeds, because no score has this id afterwards.
  params: { scoreId: z.string() },
  responses: { 202: z.object({ message: z.string() }) },
  bucket: 'score-delete',
  emptyRequest: true,
  summary: 'Delete a score.',
})

export const getMany = operation({
  id: 'scores.getMany',
  method: 'GET',
  path: '/api/public/v3/scores',
  auth: 'project',
  query: scoreQuery,
  streamQuery: scoreStreamQuery,
  responses: { 200: GetScoresV3Response },
  waits: true,
  summary: 'List scores by filters, newest first.',
})
