// Media types in which a list operation can return all rows that match its filter as one response (ADR 0052).

/** A request gets a stream if its `Accept` header starts with one of these types. Every other request gets JSON pages. */
export const streamTypes = ['application/x-ndjson', 'text/csv', 'application/vnd.apache.parquet'] as const
export type StreamType = (typeof streamTypes)[number]

/** Maximum rows of a stream. */
export const maxStreamRows = 2 ** 32 - 1

const isStreamType = (type: string): type is StreamType => streamTypes.some(each => each === type)

/**
 * The stream type that `Accept` starts with; undefined if the header starts with a different type. Quality values are ignored, because the
 * order of the types already expresses the preference.
 */
export function streamTypeOf(accept: string | undefined): StreamType | undefined {
  const [first = ''] = (accept ?? '').split(',')
  const [type = ''] = first.split(';')
  const named = type.trim().toLowerCase()
  return isStreamType(named) ? named : undefined
}
