// Where a page of scores ends: opaque to clients (public-api.md §0.5).
import { z } from 'zod'
import { isoTime, maxIdLength } from './fields.ts'

export interface ScorePosition {
  /** ISO, with milliseconds. */
  readonly lastTimestamp: string
  readonly lastId: string
}

export const scoreCursor = z.object({ v: z.literal(1), lastTimestamp: isoTime, lastId: z.string().max(maxIdLength) })

export const encodeCursor = (position: ScorePosition): string => Buffer.from(JSON.stringify({ v: 1, ...position })).toString('base64url')

/** Of the longest that we make: JSON writes NUL, as other control characters, with six. */
export const maxCursorLength = encodeCursor({ lastTimestamp: new Date(0).toISOString(), lastId: '\0'.repeat(maxIdLength) }).length
