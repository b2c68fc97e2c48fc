// Builds the URL of a call: it keeps the path of the base URL, with a single slash between the parts.

function textsOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value.flatMap(textsOf)
  if (value instanceof Date) return [value.toISOString()]
  if (typeof value === 'object') return [JSON.stringify(value)]
  return [String(value)]
}

/**
 * Reason why no request can be made to a base URL; undefined if requests can be made. `http://` is one such URL: with a path behind it, the
 * first part of
 * the path would be the host. In a page, a path is an address of the page's server.
 */
export function baseUrlProblem(base: string): string | undefined {
  if ('location' in globalThis || (/^https?:\/\/[^\s/]\S*$/i.test(base) && URL.canParse(base))) return undefined
  return `The base URL '${base}' is not an http or https URL`
}

/** Joins `base`, `path` and the query. Undefined and null are left out, and lists repeat their key. */
export function urlOf(base: string, path: string, query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    textsOf(value).map(text => `${encodeURIComponent(key)}=${encodeURIComponent(text)}`),
  )
  const address = `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`
  return pairs.length === 0 ? address : `${address}?${pairs.join('&')}`
}
