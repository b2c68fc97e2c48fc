// Request targets are bytes from outside. The URL parser throws for `//`, and one request would end the
// process that parses it.

export interface Target {
  /**
   * As it was sent: not decoded, slashes and dots not resolved. Begins with a slash, or is `*` or what else
   * was sent.
   */
  readonly path: string
  readonly query: URLSearchParams
}

const absoluteForm = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i

/** Path and query of a request line's target, in origin or absolute form (RFC 9112 §3.2). Never throws. */
export function parseTarget(target: string | undefined): Target {
  const [local = ''] = (target ?? '').replace(absoluteForm, '').split('#', 1)
  const query = local.indexOf('?')
  const path = query === -1 ? local : local.slice(0, query)
  return { path: path === '' ? '/' : path, query: new URLSearchParams(query === -1 ? '' : local.slice(query)) }
}
