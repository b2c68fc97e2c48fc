// Projects as their organisation administers them (public-api-org.md §3.4), with how long each keeps its rows; and the one of
// a project's key.
import type { DeletionRequests } from '@svc-server/deletions/requests'
import { AppError } from '@svc-server/errors'
import { createProject, type ProjectDetails, type ProjectOutcome, readProject, updateProject } from '@svc-server/relational/projects'
import type { RelationalStore } from '@svc-server/relational/store'
import { json } from '../http/answers.ts'
import type { AdministratorBodyRequest, AdministratorRequest, CallerRequest, Endpoint } from '../http/endpoint.ts'
import { ownerOf } from '../http/identify.ts'
import { maxProjectBytes } from '../limits.ts'
import { maxIdLength } from '../schemas/fields.ts'
import type { RouteTools } from './tools.ts'

const path = '/api/public/projects'
const notFound = "Project not found or you don't have access to it"

export interface ProjectRoutesOptions extends Pick<RouteTools, 'metrics' | 'planner'> {
  readonly relational: Pick<RelationalStore, 'db'>
  readonly deletions: Pick<DeletionRequests, 'deleteProject'>
  readonly clock: () => number
}

/** With its organization in every response: the published Python client fails without. */
const viewOf = ({ id, name, metadata, retentionDays, orgId, orgName }: ProjectDetails) => ({
  ...{ id, name, organization: { id: orgId, name: orgName }, metadata: metadata ?? {} },
  ...(retentionDays > 0 && { retentionDays }),
})

export function projectRoutes({ relational, deletions, planner, metrics, clock }: ProjectRoutesOptions): readonly Endpoint[] {
  const by = ({ administrator: { orgId, apiKeyId } }: AdministratorRequest) => ({ orgId, actor: { apiKeyId }, at: new Date(clock()) })

  const inputOf = ({ body, administrator }: AdministratorBodyRequest) => planner.plan({ kind: 'project', body }, ownerOf(administrator))

  function answerOf(status: number, outcome: ProjectOutcome) {
    if (!('refused' in outcome)) return json(status, viewOf(outcome))
    if (outcome.refused === 'name_taken') return json(409, { message: 'A project of this name exists in the organization.' })
    return json(404, { message: notFound })
  }

  async function own({ caller: { projectId } }: CallerRequest) {
    const project = await readProject(relational, projectId)
    // Of a project that was deleted while its key was still remembered.
    if (project === undefined) throw new AppError('key_unknown', 'Invalid credentials.')
    return json(200, { data: [viewOf(project)] })
  }

  async function create(request: AdministratorBodyRequest) {
    const { name, ...change } = await inputOf(request)
    return answerOf(201, await createProject(relational, by(request), { name, ...change }))
  }

  async function update(request: AdministratorBodyRequest) {
    const input = await inputOf(request)
    const projectId = projectIdOf(request)
    return answerOf(200, projectId === undefined ? absent : await updateProject(relational, by(request), projectId, input))
  }

  async function remove(request: AdministratorRequest) {
    const { orgId, apiKeyId } = request.administrator
    const projectId = projectIdOf(request)
    const isThere = projectId !== undefined && (await deletions.deleteProject({ projectId, orgId, actor: { apiKeyId } }))
    if (!isThere) return answerOf(404, absent)
    metrics.deletions.inc({ what: 'project' })
    return json(202, { success: true, message: 'Project deletion has been initiated. Its data are deleted asynchronously.' })
  }

  const administered = { errors: 'projects', maxBytes: maxProjectBytes } as const
  return [
    { method: 'GET', path, kind: 'caller', errors: 'projects', answer: own },
    { method: 'POST', path, kind: 'administrator-body', ...administered, answer: create },
    { method: 'PUT', path: `${path}/:projectId`, kind: 'administrator-body', ...administered, answer: update },
    { method: 'DELETE', path: `${path}/:projectId`, kind: 'administrator', errors: 'projects', answer: remove },
  ]
}

const absent = { refused: 'not_found' } as const

/** Undefined: no project has such an id, and the store would not take the question. */
function projectIdOf({ params }: AdministratorRequest): string | undefined {
  const { projectId = '' } = params
  return projectId.length > maxIdLength || projectId.includes('\0') ? undefined : projectId
}
