// The cursor of a page of scores, which is opaque for clients (contract §16.5).
import { z } from 'zod'
import { isoTime, maxIdLength } from '../fields/fields.ts'

export interface ScorePosition {
  readonly lastTimestamp: string
  readonly lastId: string
}

const hashLength = 8
/** `f` is a hash of the filters for which the cursor was created. */
export const scoreCursor = z.object({
  v: z.literal(1),
  lastTimestamp: isoTime,
  lastId: z.string().max(maxIdLength),
  f: z.string().length(hashLength),
})

/**
 * The longest cursor that the server creates. JSON writes a control character as six characters, and base64 writes three bytes as four
 * characters.
 */
export const maxCursorLength = Math.ceil(
  (JSON.stringify({ v: 1, lastTimestamp: new Date(0).toISOString(), lastId: '\0'.repeat(maxIdLength), f: '0'.repeat(hashLength) }).length *
    4) /
    3,
)
