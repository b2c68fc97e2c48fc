// In which media types a list gives every row of its filter as one response (ADR 0052).

/** The one that stands first in `Accept` is meant. JSON with pages is the form of all other requests. */
export const streamTypes = ['application/x-ndjson', 'text/csv', 'application/vnd.apache.parquet'] as const
export type StreamType = (typeof streamTypes)[number]

/** Rows of a stream at most. */
export const maxStreamRows = 2 ** 32 - 1

const isStreamType = (type: string): type is StreamType => streamTypes.some(each => each === type)

/** Undefined: no stream is asked for. Quality values do not count, as their order is that of preference. */
export function streamTypeOf(accept: string | undefined): StreamType | undefined {
  const [first = ''] = (accept ?? '').split(',')
  const [type = ''] = first.split(';')
  const named = type.trim().toLowerCase()
  return isStreamType(named) ? named : undefined
}
