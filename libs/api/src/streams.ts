// Media types in which a list can return every row of its filter as one response (ADR 0052).

/** The server uses the first of these types in `Accept`. Every other request gets JSON pages. */
export const streamTypes = ['application/x-ndjson', 'text/csv', 'application/vnd.apache.parquet'] as const
export type StreamType = (typeof streamTypes)[number]

/** Maximum rows of a stream. */
export const maxStreamRows = 2 ** 32 - 1

const isStreamType = (type: string): type is StreamType => streamTypes.some(each => each === type)

/** Undefined when the request asks for no stream. Quality values are ignored; the order of the types expresses preference. */
export function streamTypeOf(accept: string | undefined): StreamType | undefined {
  const [first = ''] = (accept ?? '').split(',')
  const [type = ''] = first.split(';')
  const named = type.trim().toLowerCase()
  return isStreamType(named) ? named : undefined
}
