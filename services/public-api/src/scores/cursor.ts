// Decodes a client's cursor.

import { type ScorePosition, scoreCursor } from '@svc-server/api/scores/cursor'
import { parseJson } from '@svc-server/json'
import { InvalidBody } from '../validation/invalid-body.ts'
import { refused } from '../validation/refusals.ts'

export const encodeCursor = (position: ScorePosition): string => Buffer.from(JSON.stringify({ v: 1, ...position })).toString('base64url')

/** Throws InvalidBody. */
export function decodeCursor(text: string): ScorePosition {
  const parsed = scoreCursor.safeParse(parsed64(text))
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
