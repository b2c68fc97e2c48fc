// An error message describes only the header and never reveals what exists on the server.
import { AppError } from '@svc-server/errors'

export interface Credential {
  readonly publicKey: string
  /** Null if the header contains only a public key. */
  readonly secretKey: string | null
}

/** The message is the same for unknown, revoked and expired keys, and keys of deleted projects. */
export const unknownKey = (): AppError => new AppError('key_unknown', 'Invalid credentials.')

/** Throws `key_missing` or `key_unknown`. Without `takesPublicKeys`, throws `key_scope` for a public key without a secret. */
export const parseAuthorization = (header: string, { takesPublicKeys }: { readonly takesPublicKeys: boolean }): Credential => {
  if (header.trim() === '') throw new AppError('key_missing', 'No authorization header.')
  const [scheme = '', token = '', ...rest] = header.trim().split(/\s+/)
  if (scheme.toLowerCase() === 'bearer') {
    if (takesPublicKeys) {
      if (rest.length > 0 || token === '') throw unknownKey()
      return { publicKey: token, secretKey: null }
    }
    // Rejecting before any lookup hides whether the public key exists.
    throw new AppError('key_scope', 'Access denied: a public key alone has insufficient permissions for this endpoint.')
  }
  if (scheme.toLowerCase() !== 'basic') throw new AppError('key_missing', 'Unsupported authorization scheme.')
  if (rest.length > 0 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(token)) throw unknownKey()
  const text = Buffer.from(token, 'base64').toString()
  const colon = text.indexOf(':')
  if (colon <= 0 || colon === text.length - 1) throw unknownKey()
  return { publicKey: text.slice(0, colon), secretKey: text.slice(colon + 1) }
}
