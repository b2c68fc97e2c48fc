// Decodes a client's cursor.

import { maxCursorLength, type ScorePosition, scoreCursor } from '@svc-server/api/scores/cursor'
import { parseJson } from '@svc-server/json'
import { badRequest } from '@svc-server/query/observations'
import { listHash } from '@svc-server/query/scores'

/** Returns a short hash of the list's filters. The hash does not depend on the page's size and fields. */
export const hashOfFilters = (query: Readonly<Record<string, unknown>>): string =>
  listHash([{ ...query, limit: undefined, cursor: undefined, fields: undefined }], 'scores')

export const encodeCursor = (position: ScorePosition, hash: string): string =>
  Buffer.from(JSON.stringify({ v: 1, ...position, f: hash })).toString('base64url')

/** Throws InvalidQuery for an invalid cursor, and for the cursor of a list with other filters. */
export function decodeCursor(text: string, hash: string): ScorePosition {
  const parsed = scoreCursor.safeParse(text.length > maxCursorLength ? undefined : parsed64(text))
  if (!parsed.success) throw badRequest('Invalid cursor format')
  const { f, ...position } = parsed.data
  if (f !== hash) throw badRequest('The cursor belongs to a list with different filters: start again without a cursor.')
  return position
}

function parsed64(text: string): unknown {
  try {
    return parseJson(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
}
