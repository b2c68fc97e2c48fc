import { z } from 'zod'
import { pageParameters, pathInteger, queryBoolean, queryInteger, queryJson, queryText, queryTime, required } from '../fields/query.ts'
import { operation } from '../operation.ts'
import { CreateFormerPromptRequest, CreatePromptRequest, Prompt, PromptMetaListResponse, UpdatePromptRequest } from './types.ts'

export const updateVersion = operation({
  id: 'promptVersion.update',
  method: 'PATCH',
  path: '/api/public/v2/prompts/{name}/versions/{version}',
  auth: 'project',
  params: { version: pathInteger },
  body: UpdatePromptRequest,
  responses: { 200: Prompt },
  errors: ['not_found', 'bad_request', 'stale'],
  bucket: 'prompts',
  summary: 'Move labels to a version of a prompt. With If-Match, the labels move only if the prompt still has this ETag.',
})

export const removeLabel = operation({
  id: 'promptVersion.removeLabel',
  method: 'DELETE',
  path: '/api/public/v2/prompts/{name}/versions/{version}/labels/{label}',
  auth: 'project',
  params: { version: pathInteger },
  responses: { 200: Prompt },
  errors: ['not_found', 'bad_request', 'stale'],
  bucket: 'prompts',
  surface: 'extra',
  summary: 'Remove a label from a version of a prompt. With If-Match, the label is removed only if the prompt still has this ETag.',
})

export const get = operation({
  id: 'prompts.get',
  method: 'GET',
  path: '/api/public/v2/prompts/{promptName}',
  auth: 'project',
  query: z.object({ version: queryInteger({ min: 0, max: 2_147_483_647 }), label: queryText, resolve: queryBoolean }),
  responses: { 200: Prompt },
  errors: ['not_found', 'bad_request'],
  bucket: 'prompts',
  summary: 'Get a prompt by its label or version.',
})

export const list = operation({
  id: 'prompts.list',
  method: 'GET',
  path: '/api/public/v2/prompts',
  auth: 'project',
  query: z.object({
    ...pageParameters(10),
    name: queryText,
    label: queryText,
    tag: queryText,
    fromUpdatedAt: queryTime,
    toUpdatedAt: queryTime,
    filter: queryJson,
  }),
  responses: { 200: PromptMetaListResponse },
  errors: ['bad_request'],
  bucket: 'prompts',
  summary: 'List prompts with their versions and labels.',
})

export const create = operation({
  id: 'prompts.create',
  method: 'POST',
  path: '/api/public/v2/prompts',
  auth: 'project',
  body: CreatePromptRequest,
  exactNumbers: true,
  responses: { 201: Prompt },
  errors: ['bad_request', 'conflict'],
  bucket: 'prompts',
  summary: 'Create a prompt, or a new version of an existing prompt.',
})

export const remove = operation({
  id: 'prompts.delete',
  method: 'DELETE',
  path: '/api/public/v2/prompts/{promptName}',
  auth: 'project',
  query: z.object({ label: queryText, version: queryInteger({ min: 0, max: 2_147_483_647 }) }),
  responses: { 204: null },
  errors: ['not_found', 'bad_request'],
  bucket: 'prompts',
  summary: 'Delete versions of a prompt.',
})

/** The prompt routes before API v2. These routes have their own forms of requests and responses (contract §20.9). */
export const formerGet = operation({
  id: 'legacy.getPrompt',
  method: 'GET',
  path: '/api/public/prompts',
  auth: 'project',
  query: z.object({ name: required(queryText), version: queryInteger({ min: 0, max: 2_147_483_647 }) }),
  responses: { 200: Prompt },
  errors: ['not_found', 'bad_request'],
  bucket: 'prompts',
  surface: 'legacy',
  summary: 'Get the production version of a prompt, or a different version.',
})

export const formerCreate = operation({
  id: 'legacy.createPrompt',
  method: 'POST',
  path: '/api/public/prompts',
  auth: 'project',
  body: CreateFormerPromptRequest,
  exactNumbers: true,
  responses: { 201: Prompt },
  errors: ['bad_request', 'conflict'],
  bucket: 'prompts',
  surface: 'legacy',
  summary: 'Create a prompt, or a new version of an existing prompt.',
})
