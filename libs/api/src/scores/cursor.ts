// The cursor of a page of scores, which is opaque for clients (contract §16.5).
import { z } from 'zod'
import { isoTime, maxIdLength } from '../fields/fields.ts'

export interface ScorePosition {
  readonly lastTimestamp: string
  readonly lastId: string
}

export const scoreCursor = z.object({ v: z.literal(1), lastTimestamp: isoTime, lastId: z.string().max(maxIdLength) })

/** The longest cursor that the server creates. JSON writes a control character as six characters, and base64 writes three bytes as four. */
export const maxCursorLength = Math.ceil(
  (JSON.stringify({ v: 1, lastTimestamp: new Date(0).toISOString(), lastId: '\0'.repeat(maxIdLength) }).length * 4) / 3,
)
