// Reads requests and replies without the types of the OpenAI client, because OpenAI-compatible servers omit fields of these types.

export type Fields = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the value as an object whose fields can be read. Returns an empty object if the value is not an object. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function hasMethod(value: unknown, name: PropertyKey): boolean {
  const isHolder = (typeof value === 'object' && value !== null) || typeof value === 'function'
  return isHolder && typeof (value as Record<PropertyKey, unknown>)[name] === 'function'
}

export function pick(from: Fields, names: readonly string[], isWanted: (value: unknown) => boolean): Record<string, unknown> {
  return Object.fromEntries(names.filter(name => isWanted(from[name])).map(name => [name, from[name]]))
}
