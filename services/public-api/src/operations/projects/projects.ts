// Projects as their organization administers them (public-api-org.md §3.4), with how long each keeps its rows; and the one of
// a project's key.
import { maxIdLength } from '@svc-server/api/fields/fields'
import * as projects from '@svc-server/api/projects/operations'
import { AppError } from '@svc-server/errors'
import { createProject, type ProjectDetails, type ProjectOutcome, readProject, updateProject } from '@svc-server/relational/projects'
import type { Administrator } from '../../request/credentials.ts'
import type { Dependencies } from '../../request/dependencies.ts'
import { handle, reply } from '../../request/handler.ts'

const viewOf = ({ id, name, metadata, retentionDays, orgId, orgName }: ProjectDetails) => ({
  ...{ id, name, organization: { id: orgId, name: orgName }, metadata: (metadata ?? {}) as Readonly<Record<string, unknown>> },
  ...(retentionDays > 0 && { retentionDays }),
})

const by = ({ orgId, apiKeyId }: Administrator, { clock }: Dependencies) => ({ orgId, actor: { apiKeyId }, at: new Date(clock()) })
const absent = () => new AppError('not_found', "Project not found or you don't have access to it")

function viewOrRefusal(outcome: ProjectOutcome) {
  if (!('refused' in outcome)) return viewOf(outcome)
  if (outcome.refused === 'name_taken') throw new AppError('conflict', 'A project of this name exists in the organization.')
  throw absent()
}

/** Throws for an id that no project has, and that the store would not take. */
function checkedId(projectId: string): string {
  if (projectId.length > maxIdLength || projectId.includes('\0')) throw absent()
  return projectId
}

export const get = handle(projects.get, async ({ project: { projectId } }, { relational }) => {
  const project = await readProject(relational, projectId)
  // Of a project that was deleted while its key was still remembered.
  if (project === undefined) throw new AppError('key_unknown', 'Invalid credentials.')
  return reply(200, { data: [viewOf(project)] })
})

export const create = handle(projects.create, async ({ organization, body: { name, ...change } }, deps) => {
  const made = await createProject(deps.relational, by(organization, deps), { name, ...change })
  return reply(201, viewOrRefusal(made))
})

export const update = handle(projects.update, async ({ organization, params, body }, deps) => {
  const changed = await updateProject(deps.relational, by(organization, deps), checkedId(params.projectId), body)
  return reply(200, viewOrRefusal(changed))
})

export const remove = handle(projects.remove, async ({ organization: { orgId, apiKeyId }, params }, { deletions, metrics }) => {
  const projectId = checkedId(params.projectId)
  if (!(await deletions.deleteProject({ projectId, orgId, actor: { apiKeyId } }))) throw absent()
  metrics.deletions.inc({ what: 'project' })
  return reply(202, { success: true, message: 'Project deletion has been initiated. Its data are deleted asynchronously.' })
})
