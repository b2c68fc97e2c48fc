// An ingress can serve the deployment below a base path. This module removes the base path from the targets of requests.
import type { IncomingMessage } from 'node:http'

const everyCharacterLiteral = (path: string) => path.replace(/[.~-]/g, '\\$&')

/**
 * Returns a function that removes the base path (`/svc`) from a request's target in place. A target without the base path stays unchanged,
 * because an ingress may have removed the path, and because services call each other without it. A doubled leading slash and an absolute
 * target (RFC 9112 §3.2.2) are accepted.
 */
export function createBasePath(basePath: string | undefined): (request: IncomingMessage) => void {
  if (basePath === undefined) return () => {}
  const base = new RegExp(`^([A-Za-z][A-Za-z0-9+.-]*://[^/?#]*)?/{0,8}${everyCharacterLiteral(basePath)}(?=[/?#]|$)`)
  return request => {
    const rest = (request.url ?? '').replace(base, (_, origin: string | undefined) => origin ?? '')
    request.url = rest === '' || rest.startsWith('?') ? `/${rest}` : rest
  }
}
