// A chunk is a range of the source's sorting key in one month. The backfill migrates one chunk after the other. The backfill determines the
// next chunk when the previous chunk is done.
import type { Key, KeyRange } from './key-range.ts'

export interface Chunk extends KeyRange {
  /** YYYYMM. */
  readonly month: number
}

export interface Limits {
  readonly maxRows: number
  readonly maxBytes: number
}

export interface KeyReader {
  /** Returns the key of the row at the offset; null if the range has fewer rows. */
  keyAt(chunk: Chunk, offset: number): Promise<Key | null>
  /** Returns the average bytes of a row, measured at the beginning of the range. Returns 0 for an empty range. */
  bytesPerRow(chunk: Chunk): Promise<number>
  rows(chunk: Chunk): Promise<number>
}

/**
 * Position of a walk through a source table. `months` are the remaining months, newest first. `after` is the key at which the last chosen
 * chunk of the current month ends. At the beginning of a month, `after` is null.
 */
export interface Walk {
  readonly months: readonly number[]
  readonly after: Key | null
  /**
   * The current chunk, or the halves of the current chunk after a failure. When these chunks are done, the walk continues with the keys
   * that follow `after`.
   */
  readonly next: readonly Chunk[]
}

export const startWalk = (months: readonly number[]): Walk => ({
  months: [...new Set(months)].sort((a, b) => b - a),
  after: null,
  next: [],
})

export const rowsOf = ({ maxRows, maxBytes }: Limits, bytesPerRow: number): number =>
  Math.max(1, Math.min(maxRows, Math.floor(maxBytes / Math.max(bytesPerRow, 1))))

/**
 * Returns the next chunk, and a walk that begins with this chunk. The caller first saves this walk and then starts the chunk, so an
 * interrupted chunk is repeated. When the chunk is done, the caller continues with `finished(walk)`. Returns null at the end of the walk.
 */
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
  // If `upTo` is null, this chunk is the last chunk of its month.
  return upTo === null
    ? { chunk, walk: { months, after: null, next: [chunk] } }
    : { chunk, walk: { months: walk.months, after: upTo, next: [chunk] } }
}

export const finished = (walk: Walk): Walk => ({ ...walk, next: walk.next.slice(1) })

/** Splits the walk's first chunk. Returns null if the chunk has only one key. */
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
