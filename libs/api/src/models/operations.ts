import { z } from 'zod'
import { pageParameters } from '../fields/query.ts'
import { operation } from '../operation.ts'
import { CreateModelRequest, DeleteModelResponse, Model, PaginatedModels } from './types.ts'

export const create = operation({
  id: 'models.create',
  method: 'POST',
  path: '/api/public/models',
  auth: 'projectOrInstance',
  body: CreateModelRequest,
  responses: { 200: Model },
  errors: ['bad_request'],
  summary: 'Create a model definition with its prices.',
})

export const list = operation({
  id: 'models.list',
  method: 'GET',
  path: '/api/public/models',
  auth: 'projectOrInstance',
  query: z.object({ ...pageParameters() }),
  responses: { 200: PaginatedModels },
  summary: 'List model definitions, including the shipped ones.',
})

export const get = operation({
  id: 'models.get',
  method: 'GET',
  path: '/api/public/models/{id}',
  auth: 'projectOrInstance',
  responses: { 200: Model },
  errors: ['not_found'],
  emptyRequest: true,
  summary: 'Get a model definition.',
})

export const remove = operation({
  id: 'models.delete',
  method: 'DELETE',
  path: '/api/public/models/{id}',
  auth: 'projectOrInstance',
  responses: { 200: DeleteModelResponse },
  errors: ['not_found'],
  emptyRequest: true,
  summary: 'Delete a model definition of the project.',
})

export const upsert = operation({
  id: 'models.upsert',
  method: 'PUT',
  path: '/api/public/models/{id}',
  auth: 'projectOrInstance',
  body: CreateModelRequest,
  responses: { 200: Model },
  errors: ['bad_request', 'not_found'],
  summary: 'Create or replace a model definition of the project.',
})
