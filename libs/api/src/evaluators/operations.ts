import { z } from 'zod'
import { queryInteger, queryText } from '../fields/query.ts'
import { operation } from '../operation.ts'
import {
  CreateEvaluatorRequest,
  DeletedEvaluator,
  Evaluator,
  EvaluatorsPage,
  EvaluatorVersionsPage,
  UpdateEvaluatorRequest,
} from './types.ts'

export const create = operation({
  id: 'evaluators.create',
  method: 'POST',
  path: '/api/public/v2/evaluators',
  auth: 'project',
  body: CreateEvaluatorRequest,
  responses: { 201: Evaluator },
  errors: ['precondition_failed', 'code_not_run'],
  family: 'structured',
  summary: 'Create an evaluator.',
})

export const list = operation({
  id: 'evaluators.list',
  method: 'GET',
  path: '/api/public/v2/evaluators',
  auth: 'project',
  query: z.object({ limit: queryInteger({ min: 1, max: 100 }), cursor: queryText }),
  responses: { 200: EvaluatorsPage },
  family: 'structured',
  summary: 'List evaluators, newest first.',
})

export const get = operation({
  id: 'evaluators.get',
  method: 'GET',
  path: '/api/public/v2/evaluators/{evaluatorId}',
  auth: 'project',
  responses: { 200: Evaluator },
  family: 'structured',
  emptyRequest: true,
  summary: 'Get an evaluator.',
})

export const update = operation({
  id: 'evaluators.update',
  method: 'PATCH',
  path: '/api/public/v2/evaluators/{evaluatorId}',
  auth: 'project',
  body: UpdateEvaluatorRequest,
  responses: { 200: Evaluator },
  family: 'structured',
  summary: 'Change an evaluator, or add a version to it.',
})

export const remove = operation({
  id: 'evaluators.delete',
  method: 'DELETE',
  path: '/api/public/v2/evaluators/{evaluatorId}',
  auth: 'project',
  responses: { 200: DeletedEvaluator },
  family: 'structured',
  emptyRequest: true,
  summary: 'Delete an evaluator.',
})

export const listVersions = operation({
  id: 'evaluators.listVersions',
  method: 'GET',
  path: '/api/public/v2/evaluators/{evaluatorId}/versions',
  auth: 'project',
  query: z.object({ limit: queryInteger({ min: 1, max: 100 }), cursor: queryText }),
  responses: { 200: EvaluatorVersionsPage },
  family: 'structured',
  summary: 'List the versions of an evaluator, newest first.',
})
