import { z } from 'zod'
import { pageParameters } from '../fields/query.ts'
import { operation } from '../operation.ts'
import { CreateScoreConfigRequest, ScoreConfig, ScoreConfigs, UpdateScoreConfigRequest } from './types.ts'

export const create = operation({
  id: 'scoreConfigs.create',
  method: 'POST',
  path: '/api/public/score-configs',
  auth: 'project',
  body: CreateScoreConfigRequest,
  responses: { 200: ScoreConfig },
  errors: ['bad_request'],
  summary: 'Create a score configuration.',
})

export const get = operation({
  id: 'scoreConfigs.get',
  method: 'GET',
  path: '/api/public/score-configs',
  auth: 'project',
  query: z.object({ ...pageParameters() }),
  responses: { 200: ScoreConfigs },
  summary: 'List score configurations.',
})

export const getById = operation({
  id: 'scoreConfigs.getById',
  method: 'GET',
  path: '/api/public/score-configs/{configId}',
  auth: 'project',
  responses: { 200: ScoreConfig },
  errors: ['not_found'],
  emptyRequest: true,
  summary: 'Get a score configuration.',
})

export const update = operation({
  id: 'scoreConfigs.update',
  method: 'PATCH',
  path: '/api/public/score-configs/{configId}',
  auth: 'project',
  body: UpdateScoreConfigRequest,
  responses: { 200: ScoreConfig },
  errors: ['bad_request', 'not_found'],
  summary: 'Change or archive a score configuration.',
})
