// Parses request targets, which are untrusted bytes. The URL parser throws for `//`, so one request could end the process.

export interface Target {
  /**
   * The path as sent: not decoded, slashes and dots not resolved. The path usually begins with a slash, but may be `*` or any other text.
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
