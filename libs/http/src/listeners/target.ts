// Parses the targets of requests, which are untrusted bytes. The URL parser of Node is not used, because it throws for `//`.

export interface Target {
  /** The path as sent, undecoded. Usually begins with a slash, but can be `*` or any other text. */
  readonly path: string
  readonly query: URLSearchParams
}

const absoluteForm = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i

/** Parses a request target in origin form or absolute form (RFC 9112 §3.2). Never throws. */
export function parseTarget(target: string | undefined): Target {
  const [local = ''] = (target ?? '').replace(absoluteForm, '').split('#', 1)
  const query = local.indexOf('?')
  const path = query === -1 ? local : local.slice(0, query)
  return { path: path === '' ? '/' : path, query: new URLSearchParams(query === -1 ? '' : local.slice(query)) }
}
