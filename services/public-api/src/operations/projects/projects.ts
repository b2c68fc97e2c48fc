// Operations by which administrators manage the projects of their organization (contract §19.4), and the operation that returns the project
// of a key.
import * as projects from '@svc-server/api/projects/operations'
import { AppError } from '@svc-server/errors'
import { type CreationOutcome, createProject, type ProjectDetails, readProject, updateProject } from '@svc-server/relational/projects'
import { inOrganization, instance } from '@svc-server/relational/tenancy'
import { authorOf } from '../../request/author.ts'
import { handle, reply } from '../../request/handler.ts'

const viewOf = ({ id, name, metadata, retentionDays, orgId, orgName }: ProjectDetails) => ({
  ...{ id, name, organization: { id: orgId, name: orgName }, metadata: (metadata ?? {}) as Readonly<Record<string, unknown>> },
  ...(retentionDays > 0 && { retentionDays }),
})

export const absent = () => new AppError('not_found', "Project not found or you don't have access to it")

function viewOrRefusal(outcome: CreationOutcome) {
  if (!('refused' in outcome)) return viewOf(outcome)
  if (outcome.refused === 'name_taken') throw new AppError('conflict', 'The organization already has a project with this name.')
  throw absent()
}

export const get = handle(projects.get, async ({ project: { projectId } }, { relational }) => {
  const project = await readProject(instance(relational), projectId)
  // The project was deleted while its key was still cached.
  if (project === undefined) throw new AppError('key_unknown', 'Invalid credentials.')
  return reply(200, { data: [viewOf(project)] })
})

export const create = handle(projects.create, async ({ organization, body }, deps) => {
  const made = await createProject(instance(deps.relational), authorOf(organization, deps), { orgId: organization.orgId, ...body })
  return reply(201, viewOrRefusal(made))
})

export const update = handle(projects.update, async ({ organization, params, body }, deps) => {
  const own = inOrganization(deps.relational, organization.orgId)
  const changed = await updateProject(own, authorOf(organization, deps), params.projectId, body)
  return reply(200, viewOrRefusal(changed))
})

export const remove = handle(projects.remove, async ({ organization: { orgId, actor }, params: { projectId } }, { deletions, metrics }) => {
  if (!(await deletions.deleteProject({ projectId, orgId, actor }))) throw absent()
  metrics.deletions.inc({ what: 'project' })
  return reply(202, { success: true, message: 'Project deletion has been initiated. Its data are deleted asynchronously.' })
})
