// Reads those parameters of a streamed list that are not part of its filter.
import { maxStreamRows, type StreamType } from '@svc-server/api/streams'
import { badRequest, badShape } from '../invalid-query.ts'

export interface StreamRequest<Query> {
  readonly projectId: string
  readonly query: Query
  readonly type: StreamType
  readonly signal: AbortSignal
  /**
   * Runs `work` on the column store as soon as this stream gets a slot. A stream is read in slices. Before each slice, the stream waits
   * for a new slot, so that queries for pages can run between two slices.
   */
  readonly turn: <T>(work: () => Promise<T>) => Promise<T>
}

export interface Paging {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Returns the maximum number of rows. Throws InvalidQuery. A cursor is invalid, because a stream has no pages. */
export function limitOf({ limit, cursor }: Paging): number {
  if (cursor !== undefined && cursor !== '')
    throw badRequest('A stream contains every row that matches its filter, and accepts no cursor. Omit the cursor, or request JSON.')
  if (limit === undefined) return maxStreamRows
  if (Number.isInteger(limit) && limit >= 0 && limit <= maxStreamRows) return limit
  throw badShape({ path: ['limit'], message: `Expected a whole number from 0 to ${maxStreamRows}.` })
}
