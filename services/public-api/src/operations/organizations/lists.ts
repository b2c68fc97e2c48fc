// What an organization has: its projects and its own keys (public-api-org.md §3.3).
import * as organizations from '@svc-server/api/organizations/operations'
import { projectsOf } from '@svc-server/relational/projects'
import { inOrganization } from '@svc-server/relational/tenancy'
import { handle, reply } from '../../request/handler.ts'
import { keyView } from '../projects/keys.ts'

export const getOrganizationProjects = handle(organizations.getOrganizationProjects, async ({ organization }, { relational }) => {
  const projects = await projectsOf(inOrganization(relational, organization.orgId))
  return reply(200, {
    projects: projects.map(({ id, name, metadata, createdAt, updatedAt }) => ({
      ...{ id, name, metadata: metadata as Readonly<Record<string, unknown>> | null },
      ...{ createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() },
    })),
  })
})

export const getOrganizationApiKeys = handle(organizations.getOrganizationApiKeys, async ({ organization: { orgId } }, { keys }) => {
  const all = await keys.listKeys({ orgId })
  return reply(200, { apiKeys: all.filter(key => key.projectId === null && key.revokedAt === null).map(keyView) })
})
