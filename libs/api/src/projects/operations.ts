// Projects and their API keys (contract §19.4).
import { z } from 'zod'
import { maxProjectBytes } from '../fields/limits.ts'
import { operation } from '../operation.ts'
import {
  ApiKeyDeletionResponse,
  ApiKeyList,
  ApiKeyResponse,
  CreateApiKeyRequest,
  CreateProjectRequest,
  Project,
  ProjectDeletionResponse,
  Projects,
  UpdateProjectRequest,
} from './types.ts'

export const get = operation({
  id: 'projects.get',
  method: 'GET',
  path: '/api/public/projects',
  auth: 'project',
  responses: { 200: Projects },
  family: 'message',
  bucket: 'none',
  emptyRequest: true,
  summary: 'Get the project of the key.',
})

export const create = operation({
  id: 'projects.create',
  method: 'POST',
  path: '/api/public/projects',
  auth: 'organization',
  role: 'ADMIN',
  body: CreateProjectRequest,
  maxBodyBytes: maxProjectBytes,
  responses: { 201: Project },
  family: 'message',
  errors: ['not_found', 'conflict'],
  summary: 'Create a project.',
})

export const update = operation({
  id: 'projects.update',
  method: 'PUT',
  path: '/api/public/projects/{projectId}',
  auth: 'organization',
  role: 'ADMIN',
  body: UpdateProjectRequest,
  maxBodyBytes: maxProjectBytes,
  responses: { 200: Project },
  // A malformed id gives the same response as the id of an unknown project.
  params: { projectId: z.string() },
  family: 'message',
  summary: 'Change a project.',
})

export const remove = operation({
  id: 'projects.delete',
  method: 'DELETE',
  path: '/api/public/projects/{projectId}',
  auth: 'organization',
  role: 'ADMIN',
  responses: { 202: ProjectDeletionResponse },
  params: { projectId: z.string() },
  family: 'message',
  emptyRequest: true,
  summary: 'Delete a project and all of its data.',
})

export const getApiKeys = operation({
  id: 'projects.getApiKeys',
  method: 'GET',
  path: '/api/public/projects/{projectId}/apiKeys',
  auth: 'organization',
  role: 'ADMIN',
  responses: { 200: ApiKeyList },
  family: 'message',
  emptyRequest: true,
  summary: 'List the API keys of a project.',
})

export const createApiKey = operation({
  id: 'projects.createApiKey',
  method: 'POST',
  path: '/api/public/projects/{projectId}/apiKeys',
  auth: 'organization',
  role: 'ADMIN',
  body: CreateApiKeyRequest,
  bodyOptional: true,
  responses: { 201: ApiKeyResponse },
  family: 'message',
  summary: 'Create an API key of a project. Only this response contains the secret.',
})

export const deleteApiKey = operation({
  id: 'projects.deleteApiKey',
  method: 'DELETE',
  path: '/api/public/projects/{projectId}/apiKeys/{apiKeyId}',
  auth: 'organization',
  role: 'ADMIN',
  responses: { 200: ApiKeyDeletionResponse },
  family: 'message',
  emptyRequest: true,
  summary: 'Revoke an API key of a project.',
})
