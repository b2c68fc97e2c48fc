import type { IncomingMessage } from 'node:http'
import { AppError } from '@svc-server/errors'

/**
 * Rejects two Authorization headers with `bad_request`. Node's parser uses the first header, but a proxy may have checked the second. RFC
 * 9110 (5.3 and 11.6.2) allows only one Authorization header.
 */
export function requireOneAuthorization({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): void {
  let found = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 13 && name.toLowerCase() === 'authorization') found++
  }
  if (found > 1) throw new AppError('bad_request', 'The Authorization header is given more than once.')
}
