// Decodes a client's cursor.

import { maxCursorLength, type ScorePosition, scoreCursor } from '@svc-server/api/scores/cursor'
import { parseJson } from '@svc-server/json'
import { badRequest } from '@svc-server/query/observations'

export const encodeCursor = (position: ScorePosition): string => Buffer.from(JSON.stringify({ v: 1, ...position })).toString('base64url')

/** Throws InvalidQuery. */
export function decodeCursor(text: string): ScorePosition {
  const parsed = scoreCursor.safeParse(text.length > maxCursorLength ? undefined : parsed64(text))
  if (!parsed.success) throw badRequest('Invalid cursor format')
  return parsed.data
}

function parsed64(text: string): unknown {
  try {
    return parseJson(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
}
