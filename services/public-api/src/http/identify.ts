// Who asks: from the headers alone, before a byte of the body is read. Nothing here says whether a project or
// a public key exists.
import type { IncomingMessage } from 'node:http'
import { AppError } from '@svc-server/errors'
import type { Authenticate } from '@svc-server/relational/authentication'
import { isPublicKeyAlone } from '@svc-server/relational/authorization-header'
import { type ClientAddresses, requireOneAuthorization } from '@svc-server/service/http'

export interface Caller {
  readonly projectId: string
  readonly apiKeyId: string
  readonly publicKey: string
  /** Authenticated by the public key alone: may send scores. */
  readonly scoresOnly: boolean
}

/** Who administers an organisation. */
export interface Administrator {
  readonly orgId: string
  readonly apiKeyId: string
}

/** Whose share of memory and threads an administrator's requests are: beside projects, whose ids have no slash. */
export const ownerOf = ({ orgId }: Administrator): string => `/${orgId}`

/** What an endpoint takes: a project's key pair, or its public key alone as well. */
type Access = 'project' | 'scores'
type Request = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'socket'>

export interface Identify {
  caller(request: Request, access: Access): Promise<Caller>
  /** By an organisation's key pair. */
  administrator(request: Request): Promise<Administrator>
}

/**
 * Throws what `authenticate` throws, `bad_request` for credentials that are given twice, `key_scope` for a
 * key that may not do this.
 */
export function createIdentify(authenticate: Authenticate, addresses: Pick<ClientAddresses, 'ofRequest'>): Identify {
  function identified(request: Request, { takesPublicKeys }: { readonly takesPublicKeys: boolean }) {
    requireOneAuthorization(request)
    const { authorization } = request.headers
    // Before any look-up: the answer must not tell whether that public key exists.
    if (!takesPublicKeys && authorization !== undefined && isPublicKeyAlone(authorization)) {
      throw new AppError('key_scope', 'Access denied: a public key alone has insufficient permissions for this endpoint.')
    }
    return authenticate(authorization, addresses.ofRequest(request))
  }

  return {
    async caller(request, access) {
      const { accessLevel, projectId, apiKeyId, publicKey } = await identified(request, { takesPublicKeys: access === 'scores' })
      if (accessLevel === 'organization' || projectId === null) {
        throw new AppError('key_scope', 'This key belongs to an organisation: insufficient permissions for this endpoint.')
      }
      return { projectId, apiKeyId, publicKey, scoresOnly: accessLevel === 'scores' }
    },
    async administrator(request) {
      const { accessLevel, orgId, apiKeyId } = await identified(request, { takesPublicKeys: false })
      if (accessLevel === 'organization') return { orgId, apiKeyId }
      throw new AppError('organization_key_wanted', 'Invalid API key. Organization-scoped API key required for this operation.')
    },
  }
}
