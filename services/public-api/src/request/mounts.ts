// Where an operation is reached, and by whom: under its own path by keys, and under /api/ui by people who have signed in (contract §22). Same code, another
// "caller". Operations of the web app alone are of people only.
import type { Auth, Operation } from '@svc-server/api/operation'

/** `own`: as its definition says. `project`, `organization`: by a session, for the one that stands in the path. */
export interface Mount {
  readonly by: 'own' | 'project' | 'organization'
  /** With `{name}` for a parameter. */
  readonly path: string
  /** The parameter that names the project or the organization; empty for `own`. */
  readonly tenant: string
}

/** Names of their parameters, which the operations of each have for nothing else. */
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

/** Every operation of a project also under /api/ui/projects/{id}, every one of an organization under /api/ui/organizations/{id}. */
export function mountsOf({ auth, surface, path }: Pick<Operation, 'auth' | 'surface' | 'path'>): readonly Mount[] {
  const by = mountedBy[auth]
  const own: Mount = { by: 'own', path, tenant: '' }
  if (by === undefined) return [own]
  const tenant = tenants[by]
  if (surface === 'private') return [{ by, path, tenant }]
  const rest = path.replace(/^\/api\/public\//, '')
  return [own, { by, path: `/api/ui/${by}s/{${tenant}}/${rest}`, tenant }]
}

/** Paths of the web app's operations: no other origin reads or sends there. */
export const isOfWebApp = (path: string): boolean => /^\/+api\/+ui(?:\/|$)/.test(path)
