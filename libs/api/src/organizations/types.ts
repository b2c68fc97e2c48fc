import { z } from 'zod'
import { recordOf, responseTime, storedText } from '../fields/fields.ts'
import { describedAs } from '../fields/json-schema.ts'

export const DeleteMembershipRequest = z
  .object({
    userId: storedText,
  })
  .meta({ id: 'DeleteMembershipRequest' })

export const MembershipDeletionResponse = z
  .object({
    message: z.string(),
    userId: z.string(),
  })
  .meta({ id: 'MembershipDeletionResponse' })

const publishedRoles = ['OWNER', 'ADMIN', 'MEMBER', 'VIEWER']

/**
 * The server also accepts and returns NONE, which the published type omits (contract §19.2). A member with this role sees only projects
 * that grant access.
 */
export const MembershipRole = describedAs(z.enum(['OWNER', 'ADMIN', 'MEMBER', 'VIEWER', 'NONE']), () => ({
  type: 'string',
  enum: publishedRoles,
})).meta({ id: 'MembershipRole' })

export const MembershipRequest = z
  .object({
    userId: storedText,
    role: MembershipRole,
  })
  .meta({ id: 'MembershipRequest' })

export const MembershipResponse = z
  .object({
    userId: z.string(),
    role: MembershipRole,
    email: z.string().nullable(),
    name: z.string().nullable(),
  })
  .meta({ id: 'MembershipResponse' })

export const MembershipsResponse = z
  .object({
    memberships: z.array(MembershipResponse),
  })
  .meta({ id: 'MembershipsResponse' })

export const OrganizationApiKey = z
  .object({
    id: z.string(),
    createdAt: responseTime,
    expiresAt: responseTime.nullable(),
    lastUsedAt: responseTime.nullable(),
    name: z.string().nullish(),
    note: z.string().nullable(),
    publicKey: z.string(),
    displaySecretKey: z.string(),
  })
  .meta({ id: 'OrganizationApiKey' })

export const OrganizationApiKeysResponse = z
  .object({
    apiKeys: z.array(OrganizationApiKey),
  })
  .meta({ id: 'OrganizationApiKeysResponse' })

export const OrganizationProject = z
  .object({
    id: z.string(),
    name: z.string(),
    metadata: recordOf(z.unknown()).nullable(),
    createdAt: responseTime,
    updatedAt: responseTime,
  })
  .meta({ id: 'OrganizationProject' })

export const OrganizationProjectsResponse = z
  .object({
    projects: z.array(OrganizationProject),
  })
  .meta({ id: 'OrganizationProjectsResponse' })
