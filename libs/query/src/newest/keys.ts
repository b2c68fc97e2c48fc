// Finds the keys of a list, newest first. If a search of the whole range takes too long, for example because few rows match the filter, the
// range is searched slice by slice. A page that searches by slices ends when its time budget is used up, and the next page continues from
// there.
import { AppError } from '@svc-server/errors'
import { type EventKey, e, eventKey, type eventsCore, type eventsFull } from '../fields/events.ts'
import { number, text } from '../sql/decode.ts'
import { field, numberField } from '../sql/field.ts'
import type { Bounds, Deadline, Scope } from '../sql/scope.ts'
import { type Clauses, type Reads, read, rowsOf, type Source, select, timeValue, versionsIn } from '../sql/select.ts'
import { join, type Sql, sql, value } from '../sql/sql.ts'

export interface Find {
  readonly table: typeof eventsCore | typeof eventsFull
  /**
   * Conditions that all rows of the list meet. These conditions can also match other rows, so the query that reads the rows checks the
   * exact conditions.
   */
  readonly where: readonly Sql[]
}

export interface FoundKeys {
  /** Distinct keys, in order. */
  readonly keys: readonly EventKey[]
  /** The search has reached this position of the list, and has found all keys before it. */
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

/**
 * Selects the rows that follow a key in the list's order. The condition on the start time is added because the table's index cannot use the
 * condition on the key.
 */
export function below(key: EventKey): readonly Sql[] {
  const { start, tuple } = keyValue(key)
  return [sql`${keyTuple} < ${tuple}`, sql`${e.start_time.sql} <= ${start}`]
}

export const isOverloaded = (error: unknown): boolean => error instanceof AppError && error.code === 'column_store_overloaded'

/** The first query gets only a third of the remaining time. If this query times out, the queries of slices use the rest of the time. */
const firstTry = (deadline: Deadline): Deadline => ({ ...deadline, secondsLeft: () => Math.ceil(deadline.secondsLeft() / 3) })

/** Size of the first slice: the unsearched range divided by this number. After each completed slice, the next slice is twice as large. */
const slices = 64n
const shortest = 60_000_000n

interface Versions {
  /** Number of row versions. A key can have several row versions. */
  readonly versions: number
  readonly last: EventKey | undefined
}

/** A range of keys, divided into at most `mostParts` parts. */
interface DividedRange extends Versions {
  /** The last key of each part, in descending order. */
  readonly borders: readonly EventKey[]
  /** Number of row versions in each part of the range. The last part can have fewer versions. */
  readonly grain: number
}
const mostParts = 64

interface Ask<Found extends Versions> {
  readonly none: Found
  of(source: Source, clauses: Clauses & { readonly limit: number }, bounds: Bounds): Promise<Found>
}

/** Finds keys. Throws a `column_store_*` error, or the abort signal's reason. */
export function keyFinder(columnStore: Reads, scope: Scope, find: Find, after: EventKey | undefined, bounds: Bounds) {
  const next = finder(columnStore, [scope, find, keysIn(columnStore)], after, bounds)
  return async (count: number): Promise<FoundKeys | undefined> => {
    const found = await next(count)
    return found && { keys: distinct(found.keys), position: found.position, isEnd: found.isEnd }
  }
}

/**
 * Counts row versions up to a maximum, and returns the keys that divide the versions into parts. One search for all these keys costs
 * less than a search for each key, because each search reads at least a granule of every data part of the table. Throws like `keyFinder`.
 */
export function rangeFinder(columnStore: Reads, scope: Scope, find: Find, bounds: Bounds) {
  return finder(columnStore, [scope, find, rangeIn(columnStore)], undefined, bounds)
}

const keysIn = (columnStore: Reads): Ask<Versions & { readonly keys: readonly EventKey[] }> => ({
  none: { keys: [], versions: 0, last: undefined },
  async of(source, clauses, bounds) {
    const keys = await read(columnStore, select(source, eventKey, clauses), bounds)
    return { keys, versions: keys.length, last: keys.at(-1) }
  },
})

const keyOf = (json: unknown): EventKey => {
  const [start, hash, span] = Array.isArray(json) ? json : []
  return { start_us: BigInt(String(start)), trace_hash: number(hash), span: text(span) }
}
const rangeKey = sql`(start_us, trace_hash, span)`

/** Counts the row versions in a source, and reads the keys that divide these versions into parts of equal size. */
const rangeIn = (columnStore: Reads): Ask<DividedRange> => ({
  none: { versions: 0, last: undefined, borders: [], grain: 1 },
  async of(source, clauses, bounds) {
    const grain = Math.max(1, Math.ceil(clauses.limit / mostParts))
    const isBorder = sql`(rowNumberInAllBlocks() + 1) % ${value('UInt32', grain, 'grain')} = 0`
    const fields = {
      versions: numberField(sql`count()`),
      // The smallest key is the last key, because keys are in descending order.
      last: field(sql`min(${rangeKey})`, keyOf),
      borders: field(sql`arrayReverseSort(groupArrayIf(${rangeKey}, ${isBorder}))`, json => (Array.isArray(json) ? json.map(keyOf) : [])),
    }
    const [found] = await read(columnStore, select(rowsOf(select(source, eventKey, clauses)), fields), bounds)
    if (found === undefined || found.versions === 0) return this.none
    const { versions, last, borders } = found
    return { versions, last, borders: versions % grain === 0 ? borders : [...borders, last], grain }
  },
})

/**
 * Returns a key that divides the row versions of a range into two parts of about equal size. `last` is the last key of the range. Returns
 * undefined if the range has no key except `last`. Throws like `keyFinder`.
 */
export async function middleOf(
  columnStore: Reads,
  [scope, { table, where }]: readonly [Scope, Find],
  { above, last, versions }: { readonly above: EventKey | undefined; readonly last: EventKey; readonly versions: number },
  bounds: Bounds,
): Promise<EventKey | undefined> {
  const { start, tuple } = keyValue(last)
  const range = [...(above === undefined ? [] : below(above)), sql`${keyTuple} > ${tuple}`, sql`${e.start_time.sql} >= ${start}`]
  const clauses = { where: [sql`${e.is_deleted.sql} = 0`, ...where, ...range], orderBy: inOrder('DESC'), limit: versions >> 1 }
  return (await rangeIn(columnStore).of(versionsIn(table, scope), clauses, bounds)).last
}

function finder<Found extends Versions>(
  columnStore: Reads,
  [scope, { table, where }, ask]: readonly [Scope, Find, Ask<Found>],
  after: EventKey | undefined,
  bounds: Bounds,
) {
  type Result = Found & { readonly position: EventKey; readonly isEnd: boolean }
  let position = after
  let slice: { readonly oldest: bigint; readonly width: bigint } | undefined

  function query(count: number, more: readonly Sql[], limited: Bounds): Promise<Found> {
    const conditions = [sql`${e.is_deleted.sql} = 0`, ...where, ...more, ...(position === undefined ? [] : below(position))]
    return ask.of(versionsIn(table, scope), { where: conditions, orderBy: inOrder('DESC'), limit: count }, limited)
  }

  /** Returns the first or last key of the range, whether or not its row matches the filter. */
  async function edge(direction: 'DESC' | 'ASC'): Promise<EventKey | undefined> {
    const [key] = await read(columnStore, select(versionsIn(table, scope), eventKey, { orderBy: inOrder(direction), limit: 1 }), bounds)
    return key
  }

  async function inWhole(count: number): Promise<Result | undefined> {
    const found = await query(count, [], { ...bounds, deadline: firstTry(bounds.deadline) })
    position = found.last ?? position
    if (position === undefined) return undefined
    return { ...found, position, isEnd: found.versions < count }
  }

  async function inSlice(count: number, { oldest, width }: NonNullable<typeof slice>, top: EventKey): Promise<Result> {
    const lower = top.start_us - width
    const from = lower < oldest ? oldest : lower
    try {
      const found = await query(count, [sql`${e.start_time.sql} >= ${timeValue(from, 'Micro')}`], bounds)
      const isPassed = found.versions < count
      // The search goes from the newest key to the oldest key, so it reaches the oldest time of a slice, `from`, last. If the slice has no
      // more rows, the position becomes the smallest possible key with the start time `from`.
      position = isPassed || found.last === undefined ? { start_us: from, trace_hash: 0, span: '' } : found.last
      if (isPassed) slice = { oldest, width: width * 2n }
      return { ...found, position, isEnd: isPassed && from <= oldest }
    } catch (error) {
      if (!isOverloaded(error) || width <= shortest) throw error
      slice = { oldest, width: width / 2n }
      return { ...ask.none, position: top, isEnd: false }
    }
  }

  async function next(count: number): Promise<Result | undefined> {
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
  /** Finds about `count` more keys. The result can be empty even if the range has more keys. Returns undefined at the end of the range. */
  return next
}

const above = (key: EventKey | undefined): EventKey | undefined => key && { start_us: key.start_us + 1n, trace_hash: 0, span: '' }

const distinct = (keys: readonly EventKey[]): readonly EventKey[] => [...new Map(keys.map(key => [nameOf(key), key])).values()]
