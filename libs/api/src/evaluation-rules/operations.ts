import { z } from 'zod'
import { queryInteger, queryText } from '../fields/query.ts'
import { operation } from '../operation.ts'
import {
  CreateEvaluationRuleRequest,
  DeletedEvaluationRule,
  EvaluationRule,
  EvaluationRulesPage,
  UpdateEvaluationRuleRequest,
} from './types.ts'

export const create = operation({
  id: 'evaluationRules.create',
  method: 'POST',
  path: '/api/public/v2/evaluation-rules',
  auth: 'project',
  body: CreateEvaluationRuleRequest,
  responses: { 201: EvaluationRule },
  family: 'structured',
  summary: 'Create an evaluation rule.',
})

export const list = operation({
  id: 'evaluationRules.list',
  method: 'GET',
  path: '/api/public/v2/evaluation-rules',
  auth: 'project',
  query: z.object({ limit: queryInteger({ min: 1, max: 100 }), cursor: queryText }),
  responses: { 200: EvaluationRulesPage },
  family: 'structured',
  summary: 'List evaluation rules, newest first.',
})

export const get = operation({
  id: 'evaluationRules.get',
  method: 'GET',
  path: '/api/public/v2/evaluation-rules/{evaluationRuleId}',
  auth: 'project',
  responses: { 200: EvaluationRule },
  family: 'structured',
  emptyRequest: true,
  summary: 'Get an evaluation rule.',
})

export const update = operation({
  id: 'evaluationRules.update',
  method: 'PATCH',
  path: '/api/public/v2/evaluation-rules/{evaluationRuleId}',
  auth: 'project',
  body: UpdateEvaluationRuleRequest,
  responses: { 200: EvaluationRule },
  family: 'structured',
  summary: 'Change an evaluation rule.',
})

export const remove = operation({
  id: 'evaluationRules.delete',
  method: 'DELETE',
  path: '/api/public/v2/evaluation-rules/{evaluationRuleId}',
  auth: 'project',
  responses: { 200: DeletedEvaluationRule },
  family: 'structured',
  emptyRequest: true,
  summary: 'Delete an evaluation rule.',
})
