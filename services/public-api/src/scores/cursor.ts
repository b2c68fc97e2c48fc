// Reads the cursor that a client sends back.
import { parseJson } from '@svc-server/json'
import { InvalidBody } from '../events/invalid-body.ts'
import { refused } from '../events/refusals.ts'
import { type ScorePosition, scoreCursor } from '../schemas/score-cursor.ts'

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
