// A trace's id is any text, and PostgreSQL holds no NUL: one with it is written escaped, under a name of its own, so
// that no two ids become one.

export interface StoredObject {
  readonly object: string
  readonly objectId: string
}

const plain = 'trace'
const escaped = 'trace_escaped'
export const projectObject = 'project'

/** Names of `object` that are a trace's. */
export const traceObjects: readonly string[] = [plain, escaped]

export const storedTraceId = (traceId: string): StoredObject =>
  traceId.includes('\0')
    ? { object: escaped, objectId: traceId.replaceAll('%', '%25').replaceAll('\0', '%00') }
    : { object: plain, objectId: traceId }

/** The inverse; undefined for what is no trace's. */
export function traceIdOf({ object, objectId }: StoredObject): string | undefined {
  if (object === plain) return objectId
  return object === escaped ? objectId.replaceAll('%00', '\0').replaceAll('%25', '%') : undefined
}
