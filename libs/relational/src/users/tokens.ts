// Tokens of 256 bits that browsers and links hold. The store has their hashes alone.
import { hash, randomBytes } from 'node:crypto'

export const newToken = (): string => randomBytes(32).toString('base64url')

const tokenPattern = /^[\w-]{43}$/

/** Undefined for a text that is no token. */
export const hashOfToken = (token: string): string | undefined => (tokenPattern.test(token) ? hash('sha256', token, 'hex') : undefined)
