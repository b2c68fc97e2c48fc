// Who asks: from the headers alone, before a byte of the body is read. Nothing here says whether a project or
// a public key exists.
import type { IncomingMessage } from 'node:http'
import type { Auth } from '@svc-server/api/operation'
import { AppError } from '@svc-server/errors'
import { type ClientAddresses, requireOneAuthorization } from '@svc-server/http/listeners'
import type { Authenticate } from '@svc-server/relational/authentication'
import { isPublicKeyAlone } from '@svc-server/relational/authorization-header'

export interface Caller {
  readonly projectId: string
  readonly apiKeyId: string
  readonly publicKey: string
  /** Authenticated by the public key alone: may send scores. */
  readonly scoresOnly: boolean
}

/** Who administers an organization. */
export interface Administrator {
  readonly orgId: string
  readonly apiKeyId: string
}

/** Who asks, and whose share of memory, threads and slots the request is. Ids of projects have no slash, so that an organization's share is its own. */
interface Identified {
  readonly owner: string
  readonly who: { readonly project: Caller } | { readonly organization: Administrator } | Readonly<Record<string, never>>
}

type Request = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'socket'>
export type Identify = (request: Request, auth: Auth) => Promise<Identified>

/**
 * Throws what `authenticate` throws, `bad_request` for credentials that are given twice, `key_scope` for a
 * key that may not do this.
 */
export function createIdentify(authenticate: Authenticate, addresses: Pick<ClientAddresses, 'ofRequest'>): Identify {
  function identified(request: Request, takesPublicKeys: boolean) {
    requireOneAuthorization(request)
    const { authorization } = request.headers
    // Before any look-up: the answer must not tell whether that public key exists.
    if (!takesPublicKeys && authorization !== undefined && isPublicKeyAlone(authorization)) {
      throw new AppError('key_scope', 'Access denied: a public key alone has insufficient permissions for this endpoint.')
    }
    return authenticate(authorization, addresses.ofRequest(request))
  }

  async function ofProject(request: Request, takesPublicKeys: boolean): Promise<Identified> {
    const { accessLevel, projectId, apiKeyId, publicKey } = await identified(request, takesPublicKeys)
    if (accessLevel === 'organization' || projectId === null) {
      throw new AppError('key_scope', 'This key belongs to an organisation: insufficient permissions for this endpoint.')
    }
    return { owner: projectId, who: { project: { projectId, apiKeyId, publicKey, scoresOnly: accessLevel === 'scores' } } }
  }

  return async (request, auth) => {
    switch (auth) {
      case 'open':
        return { owner: '', who: {} }
      case 'project':
      case 'projectOrInstance':
        return ofProject(request, false)
      case 'projectOrPublicKey':
        return ofProject(request, true)
      case 'organization': {
        const { accessLevel, orgId, apiKeyId } = await identified(request, false)
        if (accessLevel === 'organization') return { owner: `/${orgId}`, who: { organization: { orgId, apiKeyId } } }
        throw new AppError('organization_key_wanted', 'Invalid API key. Organization-scoped API key required for this operation.')
      }
      default:
        throw new Error(`Nothing authenticates ${auth} yet.`)
    }
  }
}
