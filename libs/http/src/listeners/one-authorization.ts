// Rejects requests that have two Authorization headers.
import type { IncomingMessage } from 'node:http'
import { AppError } from '@svc-server/errors'

/**
 * Node's parser uses the first of two Authorization headers, while a proxy may have checked the last one. Node's parser and the proxy must
 * see the same identity (RFC 9110, 5.3 and 11.6.2: one field line). Throws `bad_request`.
 */
export function requireOneAuthorization({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): void {
  let found = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 13 && name.toLowerCase() === 'authorization') found++
  }
  if (found > 1) throw new AppError('bad_request', 'The Authorization header is given more than once.')
}
