// Reads LangChain's data without its types, which differ between versions and integrations.

export type Fields = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True for an object that is not an instance of a class. */
export function isPlain(value: unknown): value is Fields {
  return isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value))
}

/** Returns the value as an object whose fields can be read. Returns an empty object if the value is not an object. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {}
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function hasItems(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0
}
