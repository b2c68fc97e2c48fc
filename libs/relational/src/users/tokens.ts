// Tokens of 256 bits for the sessions of browsers and for links. The store keeps only their hashes.
import { hash, randomBytes } from 'node:crypto'

export const newToken = (): string => randomBytes(32).toString('base64url')

const tokenPattern = /^[\w-]{43}$/

/** Returns undefined for an invalid token. */
export const hashOfToken = (token: string): string | undefined => (tokenPattern.test(token) ? hash('sha256', token, 'hex') : undefined)
