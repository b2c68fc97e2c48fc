// Identifies the caller from the headers alone. No response reveals whether a project exists.
import type { IncomingMessage } from 'node:http'
import type { Operation } from '@svc-server/api/operation'
import { AppError } from '@svc-server/errors'
import { type ClientAddresses, requireOneAuthorization } from '@svc-server/http/listeners'
import type { Authenticate } from '@svc-server/relational/authentication'
import { createLookupLanes } from '@svc-server/relational/lookup-lanes'
import { readProject } from '@svc-server/relational/projects'
import type { Instance } from '@svc-server/relational/tenancy'
import { type Browser, isSecure, oidcFlow, requireOwnPage, sessionToken } from './browser.ts'
import type { Administrator, Caller } from './callers.ts'
import type { InstanceKey } from './instance-key.ts'
import type { Mount } from './mounts.ts'
import { type OfSession, ofSession } from './sessions.ts'

/**
 * The caller of a request. The request uses the memory, threads and slots of its `owner`. An owner is a project id, or a name for a caller
 * without a project (such as an organization). A project id is never empty, and contains no slash and no space. The name of a caller
 * without a project is empty, or contains a slash or a space, so no project id equals such a name.
 */
type Identified = OfSession | OfKey
interface OfKey {
  readonly owner: string
  /** The organization of the API key. The request counts towards the rate limits of this organization. */
  readonly limited?: string
  readonly who:
    | { readonly project: Caller }
    | { readonly organization: Administrator }
    | { readonly browser: Browser }
    | Readonly<Record<string, never>>
}

type Request = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'socket' | 'method'>

interface Asked {
  readonly operation: Operation
  readonly mount: Mount
  readonly params: Readonly<Record<string, string>>
}

export type Identify = (request: Request, asked: Asked) => Promise<Identified>

interface IdentifyOptions {
  readonly authenticate: Authenticate
  readonly addresses: Pick<ClientAddresses, 'ofRequest'>
  readonly all: Instance
  readonly instanceKey: InstanceKey
  readonly clock: () => number
}

/**
 * Limits for lookups of session tokens, because any client can invent tokens. Many lookups from one client address can wait, because
 * several people can share an address.
 */
const sessionLookups = { lanes: 4, maxWaiting: 1_024, maxWaitingPerSource: 256 } as const

/**
 * The returned function throws these errors. If an operation requires a key: `bad_request` for duplicate credentials; `key_scope` or
 * `organization_key_wanted` if the key lacks the permission; and any error that `authenticate` or `instanceKey` throws. If the instance's
 * administrator names a project that does not exist: `not_found`. For a request from the web app: `origin_refused`, and, if the request
 * needs a session, `overloaded` and any error that `ofSession` throws.
 */
export function createIdentify({ authenticate, addresses, all, instanceKey, clock }: IdentifyOptions): Identify {
  const lookups = createLookupLanes(sessionLookups)

  async function identified(request: Request, takesPublicKeys: boolean) {
    requireOneAuthorization(request)
    const caller = await authenticate(request.headers.authorization, addresses.ofRequest(request))
    if (!takesPublicKeys && caller.accessLevel === 'scores')
      throw new AppError('key_scope', 'Access denied: a public key alone has insufficient permissions for this endpoint.')
    return caller
  }

  async function ofProject(request: Request, takesPublicKeys: boolean): Promise<Identified> {
    const { accessLevel, orgId, projectId, apiKeyId, publicKey } = await identified(request, takesPublicKeys)
    if (accessLevel === 'organization' || projectId === null) {
      throw new AppError(
        'key_scope',
        'Invalid API key. Are you using an organization key? It has insufficient permissions for this endpoint.',
      )
    }
    const project = { projectId, actor: { apiKeyId }, publicKey, scoresOnly: accessLevel === 'scores' }
    return { owner: projectId, limited: orgId, who: { project } }
  }

  /** The instance's administrator can act for a project (contract §16.3). */
  async function ofAdministrator(request: Request): Promise<Identified | undefined> {
    const projectId = instanceKey.projectOf(request.headers, addresses.ofRequest(request))
    if (projectId === undefined) return undefined
    requireOneAuthorization(request)
    if ((await readProject(all, projectId)) === undefined) throw new AppError('not_found', 'Project not found')
    return { owner: projectId, who: { project: { projectId, actor: 'operator', publicKey: 'admin', scoresOnly: false } } }
  }

  return async (request, { operation, mount, params }) => {
    const { auth } = operation
    if (auth === 'browser' || auth === 'session' || mount.by !== 'own') {
      requireOwnPage(request)
      const browser = { address: addresses.ofRequest(request), isSecure: isSecure(request), oidcFlow: oidcFlow(request) }
      if (auth === 'browser') return { owner: `address ${browser.address ?? ''}`, who: { browser } }
      const asked = { operation, mount, params, token: sessionToken(request), browser }
      return lookups.run(browser.address ?? '', () => ofSession(all, asked, new Date(clock())))
    }
    switch (auth) {
      case 'open':
        return { owner: '', who: {} }
      case 'project':
        return ofProject(request, false)
      case 'projectOrInstance':
        return (await ofAdministrator(request)) ?? ofProject(request, false)
      case 'instance':
        requireOneAuthorization(request)
        instanceKey.require(request.headers.authorization, addresses.ofRequest(request))
        return { owner: '/', who: {} }
      case 'projectOrPublicKey':
        return ofProject(request, true)
      case 'organization': {
        const { accessLevel, orgId, apiKeyId } = await identified(request, false)
        if (accessLevel === 'organization')
          return { owner: `/${orgId}`, limited: orgId, who: { organization: { orgId, actor: { apiKeyId } } } }
        throw new AppError('organization_key_wanted', 'Invalid API key. Organization-scoped API key required for this operation.')
      }
    }
  }
}
