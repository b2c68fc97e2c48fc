// Mounts an operation under its own path for keys, and under /api/ui for signed-in people (contract §22). Both use the same handler.
// Operations of the web app are mounted only for people.
import type { Auth, Operation } from '@svc-server/api/operation'

/**
 * `own`: the path and authentication of the operation's definition. `project`, `organization`: by a session, for the project or
 * organization in the path.
 */
export interface Mount {
  readonly by: 'own' | 'project' | 'organization'
  /** Path with `{name}` for parameters. */
  readonly path: string
  /** The parameter that names the project or organization; empty for `own`. */
  readonly tenant: string
}

/** Parameter names of the mounts, which operations use for nothing else. */
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
 * Every operation of a project is also available under /api/ui/projects/{id}, and every one of an organization under
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

/** Whether the path belongs to the web app's operations, which no other origin may call. */
export const isOfWebApp = (path: string): boolean => /^\/+api\/+ui(?:\/|$)/.test(path)
