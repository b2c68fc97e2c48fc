// Builds the URL of a call.

function textsOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value.flatMap(textsOf)
  if (value instanceof Date) return [value.toISOString()]
  if (typeof value === 'object') return [JSON.stringify(value)]
  return [String(value)]
}

/**
 * Returns undefined if the base URL is usable. `http://` alone is not usable, because the first part of the path would become the host. In
 * a web page, the base URL can also be a path on the page's server.
 */
export function baseUrlProblem(base: string): string | undefined {
  if ('location' in globalThis || (/^https?:\/\/[^\s/]\S*$/i.test(base) && URL.canParse(base))) return undefined
  return `The base URL '${base}' is not an http or https URL`
}

/** Returns the URL of a call. Leaves out undefined and null parameters, and repeats the key of a list for each element. */
export function urlOf(base: string, path: string, query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    textsOf(value).map(text => `${encodeURIComponent(key)}=${encodeURIComponent(text)}`),
  )
  const address = `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`
  return pairs.length === 0 ? address : `${address}?${pairs.join('&')}`
}
