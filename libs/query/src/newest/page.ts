// Pages of rows of the events tables, newest first. Each row appears once, in its newest version.
//
// The first query finds keys in the table's order, without FINAL, which would read the whole range. It finds a key when any
// version of its row passes.
// The second query reads the rows of these keys with FINAL and keeps those whose newest version passes. Every such row's key
// was found.
import { type EventKey, eventKey } from '../fields/events.ts'
import { type Fields, numberField, type RowOf } from '../sql/field.ts'
import type { Bounds, Scope } from '../sql/scope.ts'
import { newestIn, type Reads, read, readKeyed, type Source, select, versionsIn } from '../sql/select.ts'
import { type Sql, sql, value } from '../sql/sql.ts'
import { textOfMicros } from '../times.ts'
import { type Find, type FoundKeys, isOverloaded, keyFinder, keyTuple, nameOf } from './keys.ts'

export interface Listing<F extends Fields> {
  readonly scope: Scope
  /** Where the first query finds keys. */
  readonly find: Find
  /** Where the second query reads rows, with the exact conditions. */
  readonly show: Find & { readonly fields: F }
  /** Approximate length of a row's long fields. */
  readonly size: Sql
}

export interface Page<Row> {
  readonly rows: readonly Row[]
  /** The last key examined; undefined on the last page. */
  readonly next: EventKey | undefined
}

/** Limit of a page's rows together, except for the last one. A page ends before it would exceed the limit. */
const maxPageSize = 4 * 1024 * 1024
/** Minimum keys of a round after the first: many consecutive rows may pass only in older versions. */
const keysOfARound = 101

/** Selects the rows of these keys. */
function among(keys: readonly EventKey[]): readonly Sql[] {
  // Bound as texts of this type: the table's index cannot use a function of a parameter here.
  const times = value(
    "Array(DateTime64(6, 'UTC'))",
    keys.map(key => textOfMicros(key.start_us)),
  )
  const hashes = value(
    'Array(UInt32)',
    keys.map(key => key.trace_hash),
  )
  const spans = value(
    'Array(String)',
    keys.map(key => key.span),
  )
  return [sql`${keyTuple} IN arrayZip(${times}, ${hashes}, ${spans})`]
}

/** The rows of these keys that pass, in the order of the keys. Throws a column_store_* AppError, or the signal's reason. */
export async function rowsOfKeys<F extends Fields>(
  columnStore: Reads,
  [source, fields, where]: readonly [source: Source, fields: F, where: readonly Sql[]],
  keys: readonly EventKey[],
  bounds: Bounds,
): Promise<readonly { readonly key: EventKey; readonly row: RowOf<F> }[]> {
  const found = await readKeyed(columnStore, [source, eventKey, fields, { prewhere: among(keys), where }], bounds)
  const byKey = new Map(found.map(({ key, row }) => [nameOf(key), row]))
  return keys.flatMap(key => {
    const row = byKey.get(nameOf(key))
    return row === undefined ? [] : [{ key, row }]
  })
}

/** Throws a column_store_* AppError, or the signal's reason. */
export async function newestPage<F extends Fields>(
  columnStore: Reads,
  { scope, find: from, show, size }: Listing<F>,
  { limit, after, bounds }: { readonly limit: number; readonly after: EventKey | undefined; readonly bounds: Bounds },
): Promise<Page<RowOf<F>>> {
  /** As many keys as fit in a page, at least one. */
  async function fitting(keys: readonly EventKey[], used: number): Promise<{ readonly keys: readonly EventKey[]; readonly used: number }> {
    const fields = { ...eventKey, size: numberField(size) }
    const sized = await read(columnStore, select(versionsIn(show.table, scope), fields, { where: among(keys) }), bounds)
    const sizes = new Map<string, number>()
    for (const row of sized) sizes.set(nameOf(row), Math.max(row.size, sizes.get(nameOf(row)) ?? 0))
    let count = 0
    for (; count < keys.length && (used < maxPageSize || count === 0); count++) used += sizes.get(nameOf(keys[count]!)) ?? 0
    return { keys: keys.slice(0, count), used }
  }

  const rowsOf = (keys: readonly EventKey[]) =>
    rowsOfKeys(columnStore, [newestIn(show.table, scope), show.fields, show.where], keys, bounds)

  const find = keyFinder(columnStore, scope, from, after, bounds)
  const found: { readonly key: EventKey; readonly row: RowOf<F> }[] = []
  const page = (next: EventKey | undefined): Page<RowOf<F>> => ({ rows: found.map(({ row }) => row), next })
  let pending: FoundKeys | undefined
  let position = after
  let used = 0

  /** The page, if it ends within these keys. */
  async function round(): Promise<Page<RowOf<F>> | undefined> {
    // One key more than the page holds shows whether another page follows.
    const wanted = Math.max(limit - found.length + 1, position === after ? 0 : keysOfARound)
    // Finding counts versions, and rows of several are common. Keys cost little to find, and rows much to read.
    pending ??= await find(2 * wanted)
    if (pending === undefined) return page(undefined)
    const { keys, isEnd } = pending
    const next = keys.slice(0, wanted)
    const fit = next.length === 0 ? { keys: next, used } : await fitting(next, used)
    for (const each of fit.keys.length === 0 ? [] : await rowsOf(fit.keys)) {
      if (found.length === limit) return page(found.at(-1)!.key)
      found.push(each)
    }
    const left = keys.slice(fit.keys.length)
    position = left.length === 0 ? pending.position : fit.keys.at(-1)!
    if (left.length === 0 && isEnd) return page(undefined)
    const isFull = fit.keys.length < next.length || fit.used >= maxPageSize || bounds.deadline.isLate()
    if (found.length > 0 && isFull) return page(position)
    used = found.length === 0 ? 0 : fit.used
    pending = left.length === 0 ? undefined : { ...pending, keys: left }
    return undefined
  }

  for (;;) {
    try {
      const ended = await round()
      if (ended !== undefined) return ended
    } catch (error) {
      // The rows found so far become the page; the next page has its whole time for the remaining rows.
      if (!isOverloaded(error) || found.length === 0) throw error
      return page(position)
    }
  }
}
