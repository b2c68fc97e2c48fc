// An organization's projects and keys (contract §19.3).
import * as organizations from '@svc-server/api/organizations/operations'
import type { ListedProject } from '@svc-server/relational/listed-projects'
import { projectsOf } from '@svc-server/relational/projects'
import { inOrganization } from '@svc-server/relational/tenancy'
import { handle, reply } from '../../request/handler.ts'
import { keyView } from '../projects/keys.ts'

export const projectView = ({ id, name, metadata, createdAt, updatedAt }: ListedProject) => ({
  ...{ id, name, metadata: metadata as Readonly<Record<string, unknown>> | null },
  ...{ createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() },
})

export const getOrganizationProjects = handle(organizations.getOrganizationProjects, async ({ organization }, { relational }) => {
  const projects = await projectsOf(inOrganization(relational, organization.orgId))
  return reply(200, { projects: projects.map(projectView) })
})

export const getOrganizationApiKeys = handle(organizations.getOrganizationApiKeys, async ({ organization: { orgId } }, { keys }) => {
  const all = await keys.listKeys({ orgId })
  return reply(200, { apiKeys: all.filter(key => key.projectId === null && key.revokedAt === null).map(keyView) })
})
