// Address of a call: the path of the base URL is kept, slashes between the parts are one.

function textsOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value.flatMap(textsOf)
  if (value instanceof Date) return [value.toISOString()]
  if (typeof value === 'object') return [JSON.stringify(value)]
  return [String(value)]
}

/** `base` and `path` with the query; undefined and null are left out, lists repeat their key. */
export function urlOf(base: string, path: string, query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    textsOf(value).map(text => `${encodeURIComponent(key)}=${encodeURIComponent(text)}`),
  )
  const address = `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`
  return pairs.length === 0 ? address : `${address}?${pairs.join('&')}`
}
