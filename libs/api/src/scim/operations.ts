import { z } from 'zod'
import { queryInteger, queryText } from '../fields/query.ts'
import { operation } from '../operation.ts'
import {
  CreateUserRequest,
  EmptyResponse,
  PatchUserRequest,
  ReplaceUserRequest,
  ResourceTypesResponse,
  SchemasResponse,
  ScimUser,
  ScimUsersListResponse,
  ServiceProviderConfig,
} from './types.ts'

export const getServiceProviderConfig = operation({
  id: 'scim.getServiceProviderConfig',
  method: 'GET',
  path: '/api/public/scim/ServiceProviderConfig',
  auth: 'organization',
  responses: { 200: ServiceProviderConfig },
  family: 'scim',
  bucket: 'none',
  emptyRequest: true,
  summary: 'Describe what the SCIM service supports.',
})

export const getResourceTypes = operation({
  id: 'scim.getResourceTypes',
  method: 'GET',
  path: '/api/public/scim/ResourceTypes',
  auth: 'organization',
  responses: { 200: ResourceTypesResponse },
  family: 'scim',
  bucket: 'none',
  emptyRequest: true,
  summary: 'List SCIM resource types.',
})

export const getSchemas = operation({
  id: 'scim.getSchemas',
  method: 'GET',
  path: '/api/public/scim/Schemas',
  auth: 'organization',
  responses: { 200: SchemasResponse },
  family: 'scim',
  bucket: 'none',
  emptyRequest: true,
  summary: 'List SCIM schemas.',
})

export const listUsers = operation({
  id: 'scim.listUsers',
  method: 'GET',
  path: '/api/public/scim/Users',
  auth: 'organization',
  query: z.object({
    filter: queryText,
    // The server treats a `startIndex` below 1 as 1 (RFC 7644 §3.4.2.4).
    startIndex: queryInteger({ min: -2_147_483_648, max: 2_147_483_647 }),
    count: queryInteger({ min: -2_147_483_648, max: 2_147_483_647 }),
  }),
  responses: { 200: ScimUsersListResponse },
  family: 'scim',
  bucket: 'none',
  summary: 'List users.',
})

export const createUser = operation({
  id: 'scim.createUser',
  method: 'POST',
  path: '/api/public/scim/Users',
  auth: 'organization',
  body: CreateUserRequest,
  responses: { 201: ScimUser },
  family: 'scim',
  bucket: 'none',
  summary: 'Create a user, or add an existing one to the organization.',
})

export const getUser = operation({
  id: 'scim.getUser',
  method: 'GET',
  path: '/api/public/scim/Users/{userId}',
  auth: 'organization',
  responses: { 200: ScimUser },
  family: 'scim',
  bucket: 'none',
  emptyRequest: true,
  summary: 'Get a user.',
})

export const deleteUser = operation({
  id: 'scim.deleteUser',
  method: 'DELETE',
  path: '/api/public/scim/Users/{userId}',
  auth: 'organization',
  responses: { 204: EmptyResponse },
  family: 'scim',
  bucket: 'none',
  emptyRequest: true,
  summary: 'Remove a user from the organization.',
})

export const replaceUser = operation({
  id: 'scim.replaceUser',
  method: 'PUT',
  path: '/api/public/scim/Users/{userId}',
  auth: 'organization',
  body: ReplaceUserRequest,
  responses: { 200: ScimUser },
  family: 'scim',
  bucket: 'none',
  surface: 'extra',
  summary: 'Add a user to the organization or remove the user from it, depending on `active`.',
})

export const patchUser = operation({
  id: 'scim.patchUser',
  method: 'PATCH',
  path: '/api/public/scim/Users/{userId}',
  auth: 'organization',
  body: PatchUserRequest,
  responses: { 200: ScimUser },
  family: 'scim',
  bucket: 'none',
  surface: 'extra',
  summary: 'Add a user to the organization or remove the user from it, by replacing `active`.',
})
