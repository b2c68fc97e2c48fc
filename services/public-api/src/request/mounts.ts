// Mounts an operation under its own path for keys, and under /api/ui for signed-in people (contract §22). Both paths have the same handler.
// Operations of the web app are mounted only under /api/ui.
import type { Auth, Operation } from '@svc-server/api/operation'

/**
 * For `own`, the operation has the path and authentication of its definition. For `project` and `organization`, the caller has a session,
 * and the path names the project or organization.
 */
export interface Mount {
  readonly by: 'own' | 'project' | 'organization'
  /** Path with `{name}` for parameters. */
  readonly path: string
  /** Name of the path parameter that identifies the project or organization; empty for `own`. */
  readonly tenant: string
}

/** Names of the path parameters of mounts. No operation has its own parameter with one of these names. */
const tenants = { project: 'projectId', organization: 'orgId' } as const

const mountedBy: Readonly<Record<Auth, 'project' | 'organization' | undefined>> = {
  project: 'project',
  projectOrPublicKey: 'project',
  projectOrInstance: 'project',
  organization: 'organization',
  instance: undefined,
  open: undefined,
  browser: undefined,
  session: undefined,
}

/**
 * Every operation of a project is also available under /api/ui/projects/{id}, and every operation of an organization under
 * /api/ui/organizations/{id}.
 */
export function mountsOf({ auth, surface, path }: Pick<Operation, 'auth' | 'surface' | 'path'>): readonly Mount[] {
  const by = mountedBy[auth]
  const own: Mount = { by: 'own', path, tenant: '' }
  if (by === undefined) return [own]
  const tenant = tenants[by]
  if (surface === 'private') return [{ by, path, tenant }]
  const rest = path.replace(/^\/api\/public\//, '')
  return [own, { by, path: `/api/ui/${by}s/{${tenant}}/${rest}`, tenant }]
}

/** True if the path belongs to the web app's operations, which no other origin is allowed to call. */
export const isOfWebApp = (path: string): boolean => /^\/+api\/+ui(?:\/|$)/.test(path)
