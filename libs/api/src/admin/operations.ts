// Instance administration operations, authorized by ADMIN_API_KEY (contract §19.7). SDKs do not expose them.
import { z } from 'zod'
import { maxProjectBytes } from '../fields/limits.ts'
import { operation } from '../operation.ts'
import { ApiKeyList } from '../projects/types.ts'
import {
  AdminApiKey,
  AdminApiKeyRequest,
  AdminDeletion,
  AdminKeysRequest,
  AdminMessage,
  AdminOrganization,
  AdminOrganizationRequest,
  AdminOrganizations,
} from './types.ts'

const common = { auth: 'instance', family: 'error', surface: 'extra', bucket: 'none' } as const
const organizations = '/api/admin/organizations' as const
const one = '/api/admin/organizations/{organizationId}' as const
// A malformed id gives the same response as the id of an unknown organization.
const params = { organizationId: z.string() }

export const listOrganizations = operation({
  id: 'admin.listOrganizations',
  method: 'GET',
  path: organizations,
  ...common,
  responses: { 200: AdminOrganizations },
  summary: 'List the organizations of the instance.',
})

export const createOrganization = operation({
  id: 'admin.createOrganization',
  method: 'POST',
  path: organizations,
  ...common,
  body: AdminOrganizationRequest,
  maxBodyBytes: maxProjectBytes,
  responses: { 201: AdminOrganization },
  summary: 'Create an organization.',
})

export const getOrganization = operation({
  id: 'admin.getOrganization',
  method: 'GET',
  path: one,
  ...common,
  params,
  responses: { 200: AdminOrganization },
  summary: 'Get an organization with its projects.',
})

export const updateOrganization = operation({
  id: 'admin.updateOrganization',
  method: 'PUT',
  path: one,
  ...common,
  params,
  body: AdminOrganizationRequest,
  maxBodyBytes: maxProjectBytes,
  responses: { 200: AdminOrganization },
  summary: 'Change an organization.',
})

export const deleteOrganization = operation({
  id: 'admin.deleteOrganization',
  method: 'DELETE',
  path: one,
  ...common,
  params,
  responses: { 200: AdminDeletion },
  summary: 'Delete an organization without projects.',
})

export const getOrganizationApiKeys = operation({
  id: 'admin.getOrganizationApiKeys',
  method: 'GET',
  path: `${one}/apiKeys`,
  ...common,
  params,
  responses: { 200: ApiKeyList },
  summary: 'List the API keys of an organization.',
})

export const createOrganizationApiKey = operation({
  id: 'admin.createOrganizationApiKey',
  method: 'POST',
  path: `${one}/apiKeys`,
  ...common,
  params,
  body: AdminApiKeyRequest,
  bodyOptional: true,
  responses: { 201: AdminApiKey },
  summary: 'Create an API key of an organization. Only this response contains the secret.',
})

export const deleteOrganizationApiKey = operation({
  id: 'admin.deleteOrganizationApiKey',
  method: 'DELETE',
  path: `${one}/apiKeys/{apiKeyId}`,
  ...common,
  params,
  responses: { 200: AdminDeletion },
  summary: 'Revoke an API key of an organization.',
})

export const changeApiKeys = operation({
  id: 'admin.changeApiKeys',
  method: 'POST',
  path: '/api/admin/api-keys',
  ...common,
  body: AdminKeysRequest,
  responses: { 200: AdminMessage },
  summary: 'Revoke the API keys of projects, or drop keys from caches so that their next use looks them up again.',
})
