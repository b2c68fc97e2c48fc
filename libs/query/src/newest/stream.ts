// Streams all rows of a list in order, slice by slice. The keys of each slice are found in the same way as the keys of a page (`keys.ts`).
// The column store writes the rows in the format of the stream. The server keeps at most two slices in memory, even if millions of rows
// match the filter.
import type { EventKey } from '../fields/events.ts'
import { e } from '../fields/events.ts'
import type { Fields } from '../sql/field.ts'
import type { Bounds } from '../sql/scope.ts'
import { newestIn, readBytes, type Writes } from '../sql/select.ts'
import { all, constant, type Sql, sql, value } from '../sql/sql.ts'
import type { Piece, StreamFormat } from '../stream/format.ts'
import { targetRows } from '../stream/target.ts'
import { isOverloaded, keyTuple, keyValue, middleOf, rangeFinder } from './keys.ts'
import type { Listing } from './page.ts'

export interface StreamOptions {
  readonly format: StreamFormat
  /** Maximum rows of the stream. */
  readonly limit: number
  /** Returns the resource limits of the next slice. */
  readonly bounds: () => Bounds
  /** Runs `work` on the column store as soon as this stream gets a slot. */
  readonly turn: <T>(work: () => Promise<T>) => Promise<T>
  /** Additional fields of the stream's rows. */
  readonly more?: Fields
}

/** Maximum bytes of a slice. `newestStream` reads a slice with more bytes in halves. */
const maxSliceBytes = 48 * 1024 * 1024

/**
 * Settings for a whole slice. Each row is converted to the columns of the output format before the sort. For JSON lines, the sort then
 * moves only the line and the sort key, which costs less than moving all columns. The column store evaluates many expressions to make a
 * line. Each expression takes some time for each block, so blocks are larger than by default.
 */
const wholeSlice = { query_plan_execute_functions_after_sorting: 0, preferred_block_size_bytes: 8 * 1024 * 1024 } as const

/** One query finds the keys of this many slices. */
const slicesOfSearch = 8

interface Slice {
  readonly above: EventKey | undefined
  /** The slice's last key; undefined for a slice without rows. */
  readonly last: EventKey | undefined
  readonly versions: number
  /**
   * True if the slice is a part of a larger slice that exceeded the limit. A divided slice is read in small blocks, which need less memory.
   */
  readonly isDivided?: boolean
}

/** Throws a `column_store_*` error, or the abort signal's reason. */
export async function* newestStream<F extends Fields>(
  columnStore: Writes,
  { scope, find: from, show }: Listing<F>,
  { format, limit, bounds, turn, more }: StreamOptions,
): AsyncGenerator<Piece, void, undefined> {
  let left = limit
  let isBegun = false
  const rows = targetRows()
  let current = bounds()
  const deadline = { isLate: () => current.deadline.isLate(), secondsLeft: () => current.deadline.secondsLeft() }
  const find = rangeFinder(columnStore, scope, from, { ...current, deadline })
  const source = newestIn(show.table, scope)
  const columns = format.columns({ ...show.fields, ...more })
  const order = constant('e.start_time DESC, xxHash32(e.trace_id) DESC, e.span_id DESC')

  function statement(where: readonly Sql[]): Sql {
    const conditions = [...source.conditions, ...show.where, ...where]
    return sql`SELECT ${columns} FROM ${source.from} WHERE ${all(conditions)} ORDER BY ${order} LIMIT ${value('UInt32', left, 'limit')}`
  }

  const bytesOf = ({ above, last, versions, isDivided = false }: Slice): Promise<Uint8Array> =>
    turn(async () => {
      const where = last === undefined ? [sql`0`] : between(above, last)
      const maxBytes = versions > 1 ? maxSliceBytes : undefined
      const settings = isDivided ? {} : wholeSlice
      return readBytes(columnStore, statement(where), { format: format.format, bounds: bounds(), maxBytes, settings })
    })

  /** Yields the rows of a slice. `bytes` is the slice's pending read, if the read has already started. */
  async function* rowsOf(slice: Slice, bytes: Promise<Uint8Array> = bytesOf(slice)): AsyncGenerator<Piece, void, undefined> {
    const { above, last, versions } = slice
    const whole = await bytes.catch((error: unknown) => {
      if (isOverloaded(error) && versions > 1) return undefined
      throw error
    })
    if (whole !== undefined) {
      const piece = format.piece(whole)
      left -= piece.rows
      rows.sent(piece)
      isBegun = true
      return yield piece
    }
    const middle = last && (await turn(() => middleOf(columnStore, [scope, from], { above, last, versions }, bounds())))
    if (middle === undefined) return yield* rowsOf({ above, last, versions: 1, isDivided: true })
    yield* rowsOf({ above, last: middle, versions: versions >> 1, isDivided: true })
    if (left > 0) yield* rowsOf({ above: middle, last, versions: versions - (versions >> 1), isDivided: true })
  }

  /** Prevents a failed read from being reported as unhandled. The caller awaits the read later, or never if the stream ends first. */
  function early<T>(asked: Promise<T>): Promise<T> {
    asked.catch(() => {})
    return asked
  }

  const foundNext = () =>
    early(
      turn(() => {
        current = bounds()
        return find(Math.min(slicesOfSearch * rows.next, left))
      }),
    )

  async function* slices(): AsyncGenerator<Slice, void, undefined> {
    let above: EventKey | undefined
    let next: ReturnType<typeof find> | undefined
    while (left > 0) {
      const found = await (next ?? foundNext())
      if (found === undefined) return
      const { versions, borders, grain, isEnd } = found
      // The search for the next keys runs while the rows of these slices are read.
      next = !isEnd && versions < left ? foundNext() : undefined
      for (let at = 0; at < borders.length; ) {
        const parts = Math.min(Math.max(1, Math.round(rows.next / grain)), borders.length - at)
        const last = borders[at + parts - 1]
        yield { above, last, versions: Math.min(parts * grain, versions - at * grain) }
        above = last
        at += parts
      }
      if (isEnd) return
    }
  }

  let pending: { readonly versions: number; readonly pieces: AsyncGenerator<Piece, void, undefined> } | undefined
  for await (const slice of slices()) {
    const { versions } = slice
    // Two slices are read at the same time if both together cannot exceed the row limit. The number of versions in a slice is the upper
    // bound for its number of rows.
    if (pending !== undefined && pending.versions + versions > left) {
      yield* pending.pieces
      pending = undefined
      if (left <= 0) break
    }
    const pieces = rowsOf(slice, early(bytesOf(slice)))
    if (pending !== undefined) yield* pending.pieces
    pending = { versions, pieces }
    // The first slice is read alone, because its size determines the number of rows in the next slice.
    if (!isBegun) {
      yield* pieces
      pending = undefined
    }
    if (left <= 0) break
  }
  if (pending !== undefined) yield* pending.pieces
  // A stream without rows still contains the names of the columns.
  if (!isBegun) yield* rowsOf({ above: undefined, last: undefined, versions: 0 })
  yield format.end()
}

/**
 * Selects the rows after the key `above`, up to and including the key `last`. The conditions on the time are added because the table's
 * index cannot use the conditions on the key.
 */
function between(above: EventKey | undefined, last: EventKey): readonly Sql[] {
  const { start, tuple } = keyValue(last)
  const lower = [sql`${keyTuple} >= ${tuple}`, sql`${e.start_time.sql} >= ${start}`]
  if (above === undefined) return lower
  const upper = keyValue(above)
  return [...lower, sql`${keyTuple} < ${upper.tuple}`, sql`${e.start_time.sql} <= ${upper.start}`]
}
