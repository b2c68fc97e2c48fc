// What is migrated at once: a month and a range of the source's sorting key. The next chunk is found when
// the one before is done, so nothing grows with the table, and merges change nothing.
import type { Key, KeyRange } from './key-range.ts'

export interface Chunk extends KeyRange {
  /** YYYYMM. */
  readonly month: number
}

export interface Limits {
  readonly maxRows: number
  readonly maxBytes: number
}

/** What planning asks the source table. */
export interface KeyReader {
  /** The key that stands so many rows behind the beginning of the range, 0 being its first. Null: it has fewer. */
  keyAt(chunk: Chunk, offset: number): Promise<Key | null>
  /** Bytes of a row, from some at the beginning of the range. 0: it is empty. */
  bytesPerRow(chunk: Chunk): Promise<number>
  rows(chunk: Chunk): Promise<number>
}

/** Where a walk is: months that are still to come, newest first, and the end of the last chunk of this one. */
export interface Walk {
  readonly months: readonly number[]
  readonly after: Key | null
  /** Before what `after` says: halves of a chunk that failed, or the one that is under way. */
  readonly next: readonly Chunk[]
}

export const startWalk = (months: readonly number[]): Walk => ({
  months: [...new Set(months)].sort((a, b) => b - a),
  after: null,
  next: [],
})

export const rowsOf = ({ maxRows, maxBytes }: Limits, bytesPerRow: number): number =>
  Math.max(1, Math.min(maxRows, Math.floor(maxBytes / Math.max(bytesPerRow, 1))))

/** The chunk to do, and the walk with it at its front until it is done. Null: the walk has ended. */
export async function nextChunk(
  walk: Walk,
  reader: KeyReader,
  limits: Limits,
): Promise<{ readonly chunk: Chunk; readonly walk: Walk } | null> {
  const [front] = walk.next
  if (front !== undefined) return { chunk: front, walk }
  const [month, ...months] = walk.months
  if (month === undefined) return null
  const rest = { month, after: walk.after, upTo: null }
  const bytes = await reader.bytesPerRow(rest)
  if (bytes === 0) return nextChunk({ months, after: null, next: [] }, reader, limits)
  const upTo = await reader.keyAt(rest, rowsOf(limits, bytes) - 1)
  const chunk = { ...rest, upTo }
  // An open end is the month's last chunk.
  return upTo === null
    ? { chunk, walk: { months, after: null, next: [chunk] } }
    : { chunk, walk: { months: walk.months, after: upTo, next: [chunk] } }
}

export const finished = (walk: Walk): Walk => ({ ...walk, next: walk.next.slice(1) })

/** Two halves of the chunk at the front, if it has two keys. */
export async function halved(walk: Walk, reader: KeyReader): Promise<Walk | null> {
  const [front, ...others] = walk.next
  if (front === undefined) return null
  const rows = await reader.rows(front)
  if (rows < 2) return null
  const middle = await reader.keyAt(front, Math.floor(rows / 2) - 1)
  const last = await reader.keyAt(front, rows - 1)
  if (middle === null || last === null || middle.every((value, at) => value === last[at])) return null
  return { ...walk, next: [{ ...front, upTo: middle }, { ...front, after: middle }, ...others] }
}
