// Who asks: from the headers alone, before a byte of the body is read. Nothing here says whether a project or
// a public key exists.
import type { IncomingMessage } from 'node:http'
import { AppError } from '@svc-server/errors'
import type { Authenticate } from '@svc-server/relational/authentication'
import { isPublicKeyAlone } from '@svc-server/relational/authorization-header'
import { type ClientAddresses, requireOneAuthorization } from '@svc-server/service/http'

export interface Caller {
  readonly projectId: string
  readonly publicKey: string
  /** Authenticated by the public key alone: may send scores. */
  readonly scoresOnly: boolean
}

/** What an endpoint takes: a project's key pair, or its public key alone as well. */
type Access = 'project' | 'scores'

export type Identify = (request: Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'socket'>, access: Access) => Promise<Caller>

/**
 * Throws what `authenticate` throws, `bad_request` for credentials that are given twice, `key_scope` for a
 * key that may not do this.
 */
export function createIdentify(authenticate: Authenticate, addresses: Pick<ClientAddresses, 'ofRequest'>): Identify {
  return async (request, access) => {
    requireOneAuthorization(request)
    const { authorization } = request.headers
    // Before any look-up: the answer must not tell whether that public key exists.
    if (access === 'project' && authorization !== undefined && isPublicKeyAlone(authorization)) {
      throw new AppError('key_scope', 'Access denied: a public key alone has insufficient permissions for this endpoint.')
    }
    const { accessLevel, projectId, publicKey } = await authenticate(authorization, addresses.ofRequest(request))
    if (accessLevel === 'organization' || projectId === null) {
      throw new AppError('key_scope', 'This key belongs to an organisation: insufficient permissions for this endpoint.')
    }
    return { projectId, publicKey, scoresOnly: accessLevel === 'scores' }
  }
}
