// Mounts an operation under its own path for keys, and under /api/ui for signed-in people (contract §22). Operations of the web app are
// only under /api/ui.
import type { Auth, Operation } from '@svc-server/api/operation'

/**
 * If `by` is `own`, the operation's definition determines the path and the authentication of the mount. If `by` is `project` or
 * `organization`, a request needs a session, and the path names the project or the organization.
 */
export interface Mount {
  readonly by: 'own' | 'project' | 'organization'
  /** Path with `{name}` for parameters. */
  readonly path: string
  /** Empty for `own`. */
  readonly tenant: string
}

/**
 * Name of the path parameter that contains the id of the project or organization. In an operation for projects, no
 * other parameter has the name `projectId`. In an operation for organizations, no other parameter has the name `orgId`.
 */
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

export function mountsOf({ auth, surface, path }: Pick<Operation, 'auth' | 'surface' | 'path'>): readonly Mount[] {
  const by = mountedBy[auth]
  const own: Mount = { by: 'own', path, tenant: '' }
  if (by === undefined) return [own]
  const tenant = tenants[by]
  if (surface === 'private') return [{ by, path, tenant }]
  const rest = path.replace(/^\/api\/public\//, '')
  return [own, { by, path: `/api/ui/${by}s/{${tenant}}/${rest}`, tenant }]
}

/** True for the web app's operations, which other origins must not call. */
export const isOfWebApp = (path: string): boolean => /^\/+api\/+ui(?:\/|$)/.test(path)
