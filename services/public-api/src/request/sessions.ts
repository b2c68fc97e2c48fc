// Identifies a signed-in person by the session cookie, and looks up the person's role in the project or organization in the path. Without a
// role, the response is 404, as if the project or organization did not exist.
import type { Operation } from '@svc-server/api/operation'
import { AppError } from '@svc-server/errors'
import { accessToProject, roleInOrganization } from '@svc-server/relational/access'
import { isAtLeast, type Role } from '@svc-server/relational/roles'
import { findSession, type SignedIn } from '@svc-server/relational/sign-in-sessions'
import type { Instance } from '@svc-server/relational/tenancy'
import type { Browser } from './browser.ts'
import type { Administrator, Caller } from './callers.ts'
import type { Mount } from './mounts.ts'

export interface Session extends SignedIn {
  readonly token: string
}

export interface OfSession {
  readonly owner: string
  readonly who:
    | { readonly project: Caller }
    | { readonly organization: Administrator }
    | { readonly session: Session; readonly browser: Browser }
}

/**
 * Returns the owner name of requests that concern only the person, and no project or organization. The name differs from every project's
 * owner name, because project ids contain no space.
 */
const ownerOfUser = (userId: string) => `user ${userId}`

async function signedIn(all: Instance, token: string | undefined, now: Date): Promise<Session> {
  const session = token === undefined ? undefined : await findSession(all, token, now)
  if (token === undefined || session === undefined)
    throw new AppError('session_missing', token === undefined ? 'The request has no session: sign in first.' : 'The session has ended.')
  return { ...session, token }
}

function requireRole(role: Role, { role: least, id }: Pick<Operation, 'role' | 'id'>): void {
  if (!isAtLeast(role, least))
    throw new AppError('role_missing', `The role ${role} does not allow this: ${id} requires ${least} or higher.`)
}

const higher = (a: Role, b: Role): Role => (isAtLeast(a, b) ? a : b)

export interface SessionRequest {
  readonly operation: Operation
  readonly mount: Mount
  readonly params: Readonly<Record<string, string>>
  readonly token: string | undefined
  readonly browser: Browser
}

/** Throws `session_missing`, `not_found`, `role_missing` and `relational_unavailable`. */
export async function ofSession(all: Instance, request: SessionRequest, now: Date): Promise<OfSession> {
  const { operation, mount, params, token, browser } = request
  const session = await signedIn(all, token, now)
  const { user } = session
  const actor = { userId: user.id }
  const tenantId = params[mount.tenant] ?? ''
  if (mount.by === 'own') return { owner: ownerOfUser(user.id), who: { session, browser } }
  if (mount.by === 'project') {
    const access = await accessToProject(all, user.id, tenantId)
    if (access === undefined) throw new AppError('not_found', "Project not found or you don't have access to it")
    requireRole(access.role, operation)
    const project: Caller = { projectId: tenantId, actor, publicKey: `user:${user.id}`, scoresOnly: false, role: access.role }
    return { owner: tenantId, who: { project } }
  }
  const inOrganization = await roleInOrganization(all, user.id, tenantId)
  if (inOrganization === undefined) throw new AppError('not_found', "Organization not found or you don't have access to it")
  // An operation of an organization can concern one of the organization's projects. In this case, the person can have a role in the
  // organization and a role in the project, and the higher role counts.
  const { projectId } = params
  const inProject = projectId === undefined ? undefined : await accessToProject(all, user.id, projectId)
  const role = inProject?.orgId === tenantId ? higher(inOrganization, inProject.role) : inOrganization
  requireRole(role, operation)
  return { owner: `/${tenantId}`, who: { organization: { orgId: tenantId, actor, role } } }
}
