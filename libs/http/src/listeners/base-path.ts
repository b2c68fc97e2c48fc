// Removes the base path under which an ingress serves the deployment, so that routes do not contain it.
import type { IncomingMessage } from 'node:http'

const everyCharacterLiteral = (path: string) => path.replace(/[.~-]/g, '\\$&')

/**
 * Returns a function that removes the base path (`/svc`) from the target of a request in place. Leaves a target without the base path
 * unchanged: an ingress can have removed the path, and services call each other without it. The leading slash can be doubled, and the
 * target can be absolute (RFC 9112 §3.2.2).
 */
export function createBasePath(basePath: string | undefined): (request: IncomingMessage) => void {
  if (basePath === undefined) return () => {}
  const base = new RegExp(`^([A-Za-z][A-Za-z0-9+.-]*://[^/?#]*)?/{0,8}${everyCharacterLiteral(basePath)}(?=[/?#]|$)`)
  return request => {
    const rest = (request.url ?? '').replace(base, (_, origin: string | undefined) => origin ?? '')
    request.url = rest === '' || rest.startsWith('?') ? `/${rest}` : rest
  }
}
