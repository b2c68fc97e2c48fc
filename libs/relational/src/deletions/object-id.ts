// A trace id can be any text, but PostgreSQL cannot store NUL. An id with NUL is therefore escaped. The column `object` shows whether the
// id of a row is escaped, so that two ids never share a row.

export interface StoredObject {
  readonly object: string
  readonly objectId: string
}

const plain = 'trace'
const escaped = 'trace_escaped'
export const projectObject = 'project'

export const traceObjects: readonly string[] = [plain, escaped]

export const storedTraceId = (traceId: string): StoredObject =>
  traceId.includes('\0')
    ? { object: escaped, objectId: traceId.replaceAll('%', '%25').replaceAll('\0', '%00') }
    : { object: plain, objectId: traceId }

export function traceIdOf({ object, objectId }: StoredObject): string | undefined {
  if (object === plain) return objectId
  return object === escaped ? objectId.replaceAll('%00', '\0').replaceAll('%25', '%') : undefined
}
