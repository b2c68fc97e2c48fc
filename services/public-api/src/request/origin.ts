import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { AppError } from '@svc-server/errors'

const hostPattern = /^[A-Za-z0-9._-]{1,255}(?::\d{1,5})?$|^\[[0-9A-Fa-f:.]{2,45}\](?::\d{1,5})?$/

/**
 * Returns this server's address as the client sees it, such as `https://host:port/base`. The host comes from the header Host. The scheme
 * comes from X-Forwarded-Proto if a proxy sets this header. A client that forges X-Forwarded-Proto misleads only itself. Throws
 * `bad_request` for an invalid Host.
 */
export function originOf({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>, basePath = ''): string {
  const { host = '' } = headers
  if (!hostPattern.test(host)) throw new AppError('bad_request', 'The Host header must be a host name with an optional port.')
  const forwarded = String(headers['x-forwarded-proto'] ?? '')
    .split(',', 1)[0]!
    .trim()
    .toLowerCase()
  const own = (socket as Partial<TLSSocket>).encrypted ? 'https' : 'http'
  return `${forwarded === 'https' || forwarded === 'http' ? forwarded : own}://${host}${basePath}`
}
