// Identifies the client from the headers alone. No response reveals whether a project exists.
import type { IncomingMessage } from 'node:http'
import { AppError } from '@svc-server/errors'
import { type ClientAddresses, requireOneAuthorization } from '@svc-server/http/listeners'
import type { Authenticate } from '@svc-server/relational/authentication'

export interface Caller {
  readonly organization: string
  readonly projectId: string
  readonly publicKey: string
  readonly apiKeyId: string
}

/**
 * Throws the errors of `authenticate`. Also throws `bad_request` for duplicate credentials, and `key_scope` for a key without a project.
 */
export function createAuthenticateStage(authenticate: Authenticate, addresses: Pick<ClientAddresses, 'ofRequest'>) {
  return async function identify(request: Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'socket'>): Promise<Caller> {
    requireOneAuthorization(request)
    const caller = await authenticate(request.headers.authorization, addresses.ofRequest(request))
    const { accessLevel, orgId: organization, projectId, publicKey, apiKeyId } = caller
    if (accessLevel !== 'project' || projectId === null) {
      throw new AppError('key_scope', 'This key belongs to an organization and cannot send spans.')
    }
    return { organization, projectId, publicKey, apiKeyId }
  }
}
