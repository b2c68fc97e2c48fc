// Builds the URL of a call: keeps the path of the base URL, and puts a single slash between the parts.

function textsOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value.flatMap(textsOf)
  if (value instanceof Date) return [value.toISOString()]
  if (typeof value === 'object') return [JSON.stringify(value)]
  return [String(value)]
}

/**
 * Returns the reason why a base URL cannot be used for requests; undefined if it can. For example, `http://` cannot be used, because the
 * first part of the path would become the host. In a web page, a path alone is a valid base URL and refers to the page's server.
 */
export function baseUrlProblem(base: string): string | undefined {
  if ('location' in globalThis || (/^https?:\/\/[^\s/]\S*$/i.test(base) && URL.canParse(base))) return undefined
  return `The base URL '${base}' is not an http or https URL`
}

/** Joins `base`, `path` and the parameters of the query. Parameters that are undefined or null are left out. A list repeats its key. */
export function urlOf(base: string, path: string, query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    textsOf(value).map(text => `${encodeURIComponent(key)}=${encodeURIComponent(text)}`),
  )
  const address = `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`
  return pairs.length === 0 ? address : `${address}?${pairs.join('&')}`
}
