// Decodes a client's cursor.

import { maxCursorLength, type ScorePosition, scoreCursor } from '@svc-server/api/scores/cursor'
import { decoded, encode64, listHash } from '@svc-server/query/scores'

/** Returns a short hash of the list's filters. The hash does not depend on the page's size and fields. */
export const hashOfFilters = (query: Readonly<Record<string, unknown>>): string =>
  listHash([{ ...query, limit: undefined, cursor: undefined, fields: undefined }], 'scores')

export const encodeCursor = (position: ScorePosition, hash: string): string => encode64({ v: 1, ...position, f: hash })

/** Throws InvalidQuery if the cursor is invalid, or if it was created for other filters. */
export const decodeCursor = (text: string, hash: string): ScorePosition =>
  decoded(text.length > maxCursorLength ? '' : text, scoreCursor, hash)
