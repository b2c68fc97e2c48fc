// Finds the keys of a list, beginning with the newest. If the whole range takes too long, for example with a filter that few rows match, it
// searches the range slice by slice. A page then gets as far as its time allows, and the next page continues there.
import { AppError } from '@svc-server/errors'
import { type EventKey, e, eventKey, type eventsCore, type eventsFull } from '../fields/events.ts'
import type { Bounds, Deadline, Scope } from '../sql/scope.ts'
import { type Reads, read, select, timeValue, versionsIn } from '../sql/select.ts'
import { join, type Sql, sql, value } from '../sql/sql.ts'

export interface Find {
  readonly table: typeof eventsCore | typeof eventsFull
  /** These conditions may match more rows than the list has, but must match all rows of the list. */
  readonly where: readonly Sql[]
}

export interface FoundKeys {
  /** Distinct keys, in order. */
  readonly keys: readonly EventKey[]
  /** All keys above this position have been found. */
  readonly position: EventKey
  readonly isEnd: boolean
}

export const keyFields = join(
  Object.values(eventKey).map(field => field.sql),
  ', ',
)
export const keyTuple = sql`(${keyFields})`
export const inOrder = (direction: 'DESC' | 'ASC') =>
  join(
    Object.values(eventKey).map(field => (direction === 'DESC' ? sql`${field.sql} DESC` : sql`${field.sql} ASC`)),
    ', ',
  )

export const nameOf = ({ start_us, trace_hash, span }: EventKey): string => `${start_us} ${trace_hash} ${span}`

export function keyValue({ start_us, trace_hash, span }: EventKey): { readonly start: Sql; readonly tuple: Sql } {
  const start = timeValue(start_us, 'Micro')
  return { start, tuple: sql`(${start}, ${value('UInt32', trace_hash)}, ${value('String', span)})` }
}

/** The second condition follows from the first, but the table's index can use it. */
export function below(key: EventKey): readonly Sql[] {
  const { start, tuple } = keyValue(key)
  return [sql`${keyTuple} < ${tuple}`, sql`${e.start_time.sql} <= ${start}`]
}

export const isOverloaded = (error: unknown): boolean => error instanceof AppError && error.code === 'column_store_overloaded'

/** A third of the remaining time, for a query that may time out. */
const firstTry = (deadline: Deadline): Deadline => ({ ...deadline, secondsLeft: () => Math.ceil(deadline.secondsLeft() / 3) })

/** The first slice covers this fraction of the remaining range. After each completed slice, the next one is twice as large. */
const slices = 64n
const shortest = 60_000_000n

/** Throws a column_store_* AppError, or the signal's reason. */
export function keyFinder(columnStore: Reads, scope: Scope, { table, where }: Find, after: EventKey | undefined, bounds: Bounds) {
  let position = after
  let slice: { readonly oldest: bigint; readonly width: bigint } | undefined

  function query(count: number, more: readonly Sql[], limited: Bounds): Promise<readonly EventKey[]> {
    const conditions = [sql`${e.is_deleted.sql} = 0`, ...where, ...more, ...(position === undefined ? [] : below(position))]
    const clauses = { where: conditions, orderBy: inOrder('DESC'), limit: count }
    return read(columnStore, select(versionsIn(table, scope), eventKey, clauses), limited)
  }

  /** The first or last key of the range, ignoring the filter. */
  async function edge(direction: 'DESC' | 'ASC'): Promise<EventKey | undefined> {
    const [key] = await read(columnStore, select(versionsIn(table, scope), eventKey, { orderBy: inOrder(direction), limit: 1 }), bounds)
    return key
  }

  async function inWhole(count: number): Promise<FoundKeys | undefined> {
    const keys = await query(count, [], { ...bounds, deadline: firstTry(bounds.deadline) })
    position = keys.at(-1) ?? position
    if (position === undefined) return undefined
    return { keys: distinct(keys), position, isEnd: keys.length < count }
  }

  async function inSlice(count: number, { oldest, width }: NonNullable<typeof slice>, top: EventKey): Promise<FoundKeys> {
    const lower = top.start_us - width
    const from = lower < oldest ? oldest : lower
    try {
      const keys = await query(count, [sql`${e.start_time.sql} >= ${timeValue(from, 'Micro')}`], bounds)
      const isPassed = keys.length < count
      // No key sorts below the first key of its microsecond, so that key ends the slice.
      position = isPassed ? { start_us: from, trace_hash: 0, span: '' } : keys.at(-1)!
      if (isPassed) slice = { oldest, width: width * 2n }
      return { keys: distinct(keys), position, isEnd: isPassed && from <= oldest }
    } catch (error) {
      if (!isOverloaded(error) || width <= shortest) throw error
      slice = { oldest, width: width / 2n }
      return { keys: [], position: top, isEnd: false }
    }
  }

  async function next(count: number): Promise<FoundKeys | undefined> {
    if (slice !== undefined && position !== undefined) return inSlice(count, slice, position)
    try {
      return await inWhole(count)
    } catch (error) {
      if (!isOverloaded(error)) throw error
      const [newest, oldest] = [position ?? above(await edge('DESC')), await edge('ASC')]
      if (newest === undefined || oldest === undefined) return undefined
      position = newest
      slice = { oldest: oldest.start_us, width: (newest.start_us - oldest.start_us) / slices + 1n }
      return inSlice(count, slice, newest)
    }
  }
  /** Finds about `count` more keys; possibly none yet. Returns undefined at the end of the range. */
  return next
}

const above = (key: EventKey | undefined): EventKey | undefined => key && { start_us: key.start_us + 1n, trace_hash: 0, span: '' }

const distinct = (keys: readonly EventKey[]): readonly EventKey[] => [...new Map(keys.map(key => [nameOf(key), key])).values()]
