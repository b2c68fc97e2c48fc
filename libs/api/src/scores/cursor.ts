// Where a page of scores ends: opaque to clients (contract §16.5).
import { z } from 'zod'
import { isoTime, maxIdLength } from '../fields/fields.ts'

export interface ScorePosition {
  /** ISO, with milliseconds. */
  readonly lastTimestamp: string
  readonly lastId: string
}

export const scoreCursor = z.object({ v: z.literal(1), lastTimestamp: isoTime, lastId: z.string().max(maxIdLength) })

/** Of the longest that the server makes: JSON writes NUL, as other control characters, with six; base64 writes three bytes with four. */
export const maxCursorLength = Math.ceil(
  (JSON.stringify({ v: 1, lastTimestamp: new Date(0).toISOString(), lastId: '\0'.repeat(maxIdLength) }).length * 4) / 3,
)
