import { operation } from '../operation.ts'
import {
  DeleteMembershipRequest,
  MembershipDeletionResponse,
  MembershipRequest,
  MembershipResponse,
  MembershipsResponse,
  OrganizationApiKeysResponse,
  OrganizationProjectsResponse,
} from './types.ts'

export const getOrganizationMemberships = operation({
  id: 'organizations.getOrganizationMemberships',
  method: 'GET',
  path: '/api/public/organizations/memberships',
  auth: 'organization',
  responses: { 200: MembershipsResponse },
  family: 'error',
  emptyRequest: true,
  summary: 'List the members of the organization.',
})

export const updateOrganizationMembership = operation({
  id: 'organizations.updateOrganizationMembership',
  method: 'PUT',
  path: '/api/public/organizations/memberships',
  auth: 'organization',
  body: MembershipRequest,
  responses: { 200: MembershipResponse },
  family: 'error',
  summary: 'Add a member to the organization, or change a role.',
})

export const deleteOrganizationMembership = operation({
  id: 'organizations.deleteOrganizationMembership',
  method: 'DELETE',
  path: '/api/public/organizations/memberships',
  auth: 'organization',
  body: DeleteMembershipRequest,
  responses: { 200: MembershipDeletionResponse },
  family: 'error',
  summary: 'Remove a member from the organization.',
})

export const getProjectMemberships = operation({
  id: 'organizations.getProjectMemberships',
  method: 'GET',
  path: '/api/public/projects/{projectId}/memberships',
  auth: 'organization',
  responses: { 200: MembershipsResponse },
  family: 'error',
  emptyRequest: true,
  summary: 'List the members who have a separate role in a project.',
})

export const updateProjectMembership = operation({
  id: 'organizations.updateProjectMembership',
  method: 'PUT',
  path: '/api/public/projects/{projectId}/memberships',
  auth: 'organization',
  role: 'ADMIN',
  body: MembershipRequest,
  responses: { 200: MembershipResponse },
  family: 'error',
  summary: 'Give a member a role in a project.',
})

export const deleteProjectMembership = operation({
  id: 'organizations.deleteProjectMembership',
  method: 'DELETE',
  path: '/api/public/projects/{projectId}/memberships',
  auth: 'organization',
  role: 'ADMIN',
  body: DeleteMembershipRequest,
  responses: { 200: MembershipDeletionResponse },
  family: 'error',
  summary: 'Remove the separate role of a member in a project.',
})

export const getOrganizationProjects = operation({
  id: 'organizations.getOrganizationProjects',
  method: 'GET',
  path: '/api/public/organizations/projects',
  auth: 'organization',
  responses: { 200: OrganizationProjectsResponse },
  family: 'error',
  emptyRequest: true,
  summary: 'List the projects of the organization.',
})

export const getOrganizationApiKeys = operation({
  id: 'organizations.getOrganizationApiKeys',
  method: 'GET',
  path: '/api/public/organizations/apiKeys',
  auth: 'organization',
  role: 'ADMIN',
  responses: { 200: OrganizationApiKeysResponse },
  family: 'error',
  emptyRequest: true,
  summary: 'List the API keys of the organization.',
})
