// Builds the URL of a call: keeps the path of the base URL, and puts a single slash between the parts.

function textsOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value.flatMap(textsOf)
  if (value instanceof Date) return [value.toISOString()]
  if (typeof value === 'object') return [JSON.stringify(value)]
  return [String(value)]
}

/**
 * Returns the reason why a base URL is unusable; undefined if it is usable. For example, `http://` is unusable, because the path's first
 * part would become the host. In a web page, a path is a valid base URL on the page's server.
 */
export function baseUrlProblem(base: string): string | undefined {
  if ('location' in globalThis || (/^https?:\/\/[^\s/]\S*$/i.test(base) && URL.canParse(base))) return undefined
  return `The base URL '${base}' is not an http or https URL`
}

/** Joins `base`, `path` and the query parameters. Undefined and null parameters are left out. A list repeats its key. */
export function urlOf(base: string, path: string, query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    textsOf(value).map(text => `${encodeURIComponent(key)}=${encodeURIComponent(text)}`),
  )
  const address = `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`
  return pairs.length === 0 ? address : `${address}?${pairs.join('&')}`
}
