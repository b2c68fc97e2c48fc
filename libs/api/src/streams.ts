// Media types in which a list operation can return all matching rows in one response (ADR 0052).

/** A request whose `Accept` header begins with none of these types gets a JSON page. */
export const streamTypes = ['application/x-ndjson', 'text/csv', 'application/vnd.apache.parquet'] as const
export type StreamType = (typeof streamTypes)[number]

/** Maximum number of rows in a stream. */
export const maxStreamRows = 2 ** 32 - 1

const isStreamType = (type: string): type is StreamType => streamTypes.some(each => each === type)

/**
 * Returns the stream type with which `Accept` starts, or undefined if it starts with another type. Ignores quality values (`q=`), because
 * the order already expresses the client's preference.
 */
export function streamTypeOf(accept: string | undefined): StreamType | undefined {
  const [first = ''] = (accept ?? '').split(',')
  const [type = ''] = first.split(';')
  const named = type.trim().toLowerCase()
  return isStreamType(named) ? named : undefined
}
