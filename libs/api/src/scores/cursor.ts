// The cursor of a page of scores. Clients must treat the cursor as opaque (contract §16.5).
import { z } from 'zod'
import { isoTime, maxIdLength } from '../fields/fields.ts'

export interface ScorePosition {
  /** An ISO time with milliseconds. */
  readonly lastTimestamp: string
  readonly lastId: string
}

export const scoreCursor = z.object({ v: z.literal(1), lastTimestamp: isoTime, lastId: z.string().max(maxIdLength) })

/**
 * Length of the longest cursor that the server creates. JSON writes a control character as six characters, and base64 writes three bytes as
 * four characters.
 */
export const maxCursorLength = Math.ceil(
  (JSON.stringify({ v: 1, lastTimestamp: new Date(0).toISOString(), lastId: '\0'.repeat(maxIdLength) }).length * 4) / 3,
)
