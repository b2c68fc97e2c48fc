// Where a page of scores ends: opaque to clients (public-api.md §0.5).
import { parseJson } from '@svc-server/json'
import { z } from 'zod'
import { InvalidBody } from '../events/invalid-body.ts'
import { refused } from '../events/refusals.ts'
import { isoTime, maxIdLength } from '../schemas/fields.ts'

export interface ScorePosition {
  /** ISO, with milliseconds. */
  readonly lastTimestamp: string
  readonly lastId: string
}

const schema = z.object({ v: z.literal(1), lastTimestamp: isoTime, lastId: z.string().max(maxIdLength) })

export const encodeCursor = (position: ScorePosition): string => Buffer.from(JSON.stringify({ v: 1, ...position })).toString('base64url')

/** Of the longest that we make: JSON writes NUL, as other control characters, with six. */
export const maxCursorLength = encodeCursor({ lastTimestamp: new Date(0).toISOString(), lastId: '\0'.repeat(maxIdLength) }).length

/** Throws InvalidBody. */
export function decodeCursor(text: string): ScorePosition {
  const parsed = schema.safeParse(parsed64(text))
  if (!parsed.success) throw new InvalidBody(refused('Invalid cursor format', ['cursor']))
  return parsed.data
}

function parsed64(text: string): unknown {
  try {
    return parseJson(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
}
