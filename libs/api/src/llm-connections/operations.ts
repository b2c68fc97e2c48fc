import { z } from 'zod'
import { pageParameters } from '../fields/query.ts'
import { operation } from '../operation.ts'
import {
  DeleteLlmConnectionResponse,
  LlmConnection,
  LlmConnectionTest,
  LlmConnectionTestRequest,
  PaginatedLlmConnections,
  UpsertLlmConnectionRequest,
} from './types.ts'

export const list = operation({
  id: 'llmConnections.list',
  method: 'GET',
  path: '/api/public/llm-connections',
  auth: 'projectOrInstance',
  query: z.strictObject({ ...pageParameters() }),
  responses: { 200: PaginatedLlmConnections },
  summary: 'List LLM connections, with masked secrets.',
})

export const upsert = operation({
  id: 'llmConnections.upsert',
  method: 'PUT',
  path: '/api/public/llm-connections',
  auth: 'projectOrInstance',
  role: 'ADMIN',
  body: UpsertLlmConnectionRequest,
  responses: { 200: LlmConnection, 201: LlmConnection },
  errors: ['address_refused', 'encryption_key_missing'],
  summary: 'Create or update the LLM connection of a provider.',
})

export const remove = operation({
  id: 'llmConnections.delete',
  method: 'DELETE',
  path: '/api/public/llm-connections/{id}',
  auth: 'projectOrInstance',
  role: 'ADMIN',
  responses: { 200: DeleteLlmConnectionResponse },
  errors: ['not_found'],
  emptyRequest: true,
  summary: 'Delete an LLM connection.',
})

export const test = operation({
  id: 'llmConnections.test',
  method: 'POST',
  path: '/api/public/llm-connections/{id}/test',
  auth: 'projectOrInstance',
  role: 'ADMIN',
  surface: 'extra',
  body: LlmConnectionTestRequest,
  bodyOptional: true,
  responses: { 200: LlmConnectionTest },
  errors: ['not_found', 'encryption_key_missing', 'secret_unreadable', 'overloaded'],
  summary: 'Call a model through an LLM connection, with a small structured prompt, and report the result.',
})
