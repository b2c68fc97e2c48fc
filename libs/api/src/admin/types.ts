import { z } from 'zod'
import { listOf, recordOf, responseTime, storedText } from '../fields/fields.ts'
import { OrganizationProject } from '../organizations/types.ts'
import { CreateProjectRequest } from '../projects/types.ts'

export const AdminOrganizationRequest = z
  .object({ name: CreateProjectRequest.shape.name, metadata: recordOf(z.unknown()).nullish() })
  .meta({ id: 'AdminOrganizationRequest' })

export const AdminOrganization = z
  .object({
    id: z.string(),
    name: z.string(),
    createdAt: responseTime,
    metadata: recordOf(z.unknown()),
    projects: z.array(OrganizationProject),
  })
  .meta({ id: 'AdminOrganization' })

export const AdminOrganizations = z.object({ organizations: z.array(AdminOrganization) }).meta({ id: 'AdminOrganizations' })

export const AdminDeletion = z.object({ success: z.boolean() }).meta({ id: 'AdminDeletion' })

export const AdminApiKeyRequest = z.object({ note: storedText.nullish() }).meta({ id: 'AdminApiKeyRequest' })

/** Only this response contains the secret. */
export const AdminApiKey = z
  .object({
    id: z.string(),
    createdAt: responseTime,
    note: z.string().nullable(),
    publicKey: z.string(),
    secretKey: z.string(),
    displaySecretKey: z.string(),
  })
  .meta({ id: 'AdminApiKey' })

/**
 * The action `delete` revokes the API keys of the projects. The action `invalidate` makes the server look up the keys again at their next
 * use.
 */
export const AdminKeysRequest = z
  .object({ action: z.enum(['delete', 'invalidate', 'invalidate-all']), projectIds: listOf(z.string(), { max: 1_000 }).nullish() })
  .superRefine(({ action, projectIds }, context) => {
    if (action !== 'invalidate-all' && (projectIds ?? []).length === 0)
      context.addIssue({ code: 'custom', message: 'Name the projects.', path: ['projectIds'] })
  })
  .meta({ id: 'AdminKeysRequest' })

export const AdminMessage = z.object({ message: z.string() }).meta({ id: 'AdminMessage' })
