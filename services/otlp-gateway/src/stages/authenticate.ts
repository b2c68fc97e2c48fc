// Who sends: from the headers alone, before a byte of the body is read. Nothing here says whether a project exists.
import { AppError } from '@svc-server/errors'
import type { KeyScope } from '@svc-server/relational'

/** Resolves the Authorization header; throws key_missing, key_unknown or relational_unavailable. */
export type Authenticate = (authorization: string | undefined) => Promise<KeyScope>

export interface Caller {
  readonly projectId: string
  readonly publicKey: string
  readonly apiKeyId: string
}

/** Throws what `authenticate` throws, and `key_scope` for a key that is not a project's. */
export function createAuthenticateStage(authenticate: Authenticate) {
  return async function identify(authorization: string | undefined): Promise<Caller> {
    const { accessLevel, projectId, publicKey, apiKeyId } = await authenticate(authorization)
    if (accessLevel !== 'project' || projectId === null) {
      throw new AppError('key_scope', 'This key belongs to an organisation and may not send spans.')
    }
    return { projectId, publicKey, apiKeyId }
  }
}
