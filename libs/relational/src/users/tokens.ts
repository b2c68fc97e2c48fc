// Tokens of 256 bits for browser sessions and for links. The store contains only hashes of tokens.
import { hash, randomBytes } from 'node:crypto'

export const newToken = (): string => randomBytes(32).toString('base64url')

const tokenPattern = /^[\w-]{43}$/

export const hashOfToken = (token: string): string | undefined => (tokenPattern.test(token) ? hash('sha256', token, 'hex') : undefined)
