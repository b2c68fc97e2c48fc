// Reads the rows of the events tables page by page, newest first. A list contains only the newest version of each row.
//
// The first query finds keys in the table's order. A row's key is found if any version of the row meets the conditions, so that no row of
// the list is missed. The second query reads all versions of the found rows, and returns a row's newest version if this version meets the
// conditions. Neither query uses FINAL. In the first query, FINAL would read the whole range. In the second query, FINAL would read each
// part that overlaps the granule of a key, even if the part has no version of the row.
import { type EventKey, e, eventKey } from '../fields/events.ts'
import { type Fields, numberField, type RowOf } from '../sql/field.ts'
import type { Bounds, Scope } from '../sql/scope.ts'
import { type Clauses, type Reads, read, readKeyed, select, versionsIn } from '../sql/select.ts'
import { all, type Sql, sql, value } from '../sql/sql.ts'
import { textOfMicros } from '../times.ts'
import { below, type Find, type FoundKeys, inOrder, isOverloaded, keyFields, keyFinder, keyTuple, nameOf } from './keys.ts'

export interface Listing<F extends Fields> {
  readonly scope: Scope
  /** The table and conditions for finding keys. */
  readonly find: Find
  /** The table, fields and exact conditions for reading the rows of the found keys. */
  readonly show: Find & { readonly fields: F }
  /** Approximate length of a row's long fields. */
  readonly size: Sql
  /** A condition on the key that only a few rows meet. If `few` is set, `newestPage` first tries to read the page with one query. */
  readonly few?: Sql | undefined
}

export interface Page<Row> {
  readonly rows: readonly Row[]
  /** The last examined key; undefined on the last page. */
  readonly next: EventKey | undefined
}

/** A page ends with the row that brings the total size of its rows to this limit, so the last row can exceed the limit. */
const maxPageSize = 4 * 1024 * 1024
/** Maximum bytes that a query reads while the sizes of its rows are unknown. */
const unsizedBytes = 4 * maxPageSize
/**
 * Minimum number of keys in each round after the first round. A round drops a row if only older versions of the row meet the conditions.
 * Without this minimum, a page would need many rounds if many consecutive rows are dropped.
 */
const keysOfARound = 101

/** Selects the rows of the given keys. */
function among(keys: readonly EventKey[]): readonly Sql[] {
  // The time parameters have the type DateTime64. If the SQL converted the times instead, the query could not use the table's index.
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

type Shown<F extends Fields> = Pick<Listing<F>['show'], 'table' | 'where' | 'fields'>

/**
 * Sorts the versions of a row, newest first. Among versions with equal times, the version that was inserted last comes first, as in the
 * merges of the engine.
 */
const newestVersion = sql`${e.event_ts.sql} DESC, e._block_number DESC, e._block_offset DESC`

/**
 * For each row, reads the newest of the versions that `clauses` selects. The result also contains the `size` of this version, and the
 * flag `passes`, which is 1 if this version is not a tombstone and meets the conditions in `where`.
 */
function newestVersions<F extends Fields>(
  columnStore: Reads,
  [{ table, where, fields }, scope, size]: readonly [shown: Shown<F>, scope: Scope, size: Sql],
  clauses: Clauses,
  bounds: Bounds,
) {
  const passes = numberField(sql`(${all([sql`${e.is_deleted.sql} = 0`, ...where])})`)
  const found = { ...eventKey, passes, size: numberField(size) }
  const limited = { orderBy: newestVersion, ...clauses, firstOf: keyFields }
  return readKeyed(columnStore, [versionsIn(table, scope), found, fields, limited], bounds)
}

/**
 * Returns the rows with these keys that meet the conditions, in the order of the keys. Throws a `column_store_*` error, or the abort
 * signal's reason.
 */
export async function rowsOfKeys<F extends Fields>(
  columnStore: Reads,
  shown: Shown<F>,
  [keys, scope]: readonly [keys: readonly EventKey[], scope: Scope],
  bounds: Bounds,
): Promise<readonly { readonly key: EventKey; readonly row: RowOf<F> }[]> {
  const { rows } = await sizedRowsOfKeys(columnStore, [shown, scope, sql`0`], keys, bounds)
  return rows
}

async function sizedRowsOfKeys<F extends Fields>(
  columnStore: Reads,
  what: readonly [shown: Shown<F>, scope: Scope, size: Sql],
  keys: readonly EventKey[],
  bounds: Bounds,
) {
  const found = await newestVersions(columnStore, what, { prewhere: among(keys) }, bounds)
  const byKey = new Map(found.map(each => [nameOf(each.key), each]))
  const rows = keys.flatMap(key => {
    const each = byKey.get(nameOf(key))
    return each?.key.passes === 1 ? [{ key, row: each.row }] : []
  })
  return { rows, sizeOf: (key: EventKey) => byKey.get(nameOf(key))?.key.size ?? 0 }
}

/** Throws a `column_store_*` error, or the abort signal's reason. */
export async function newestPage<F extends Fields>(
  columnStore: Reads,
  { scope, find: from, show, size, few }: Listing<F>,
  { limit, after, bounds }: { readonly limit: number; readonly after: EventKey | undefined; readonly bounds: Bounds },
): Promise<Page<RowOf<F>>> {
  const what = [show, scope, size] as const
  const unsized: Bounds = { ...bounds, limits: { ...bounds.limits, readBytes: Math.min(unsizedBytes, bounds.limits.readBytes) } }

  /** Reads the page in one query, unless the page has many or long rows. */
  async function whole(condition: Sql): Promise<Page<RowOf<F>> | undefined> {
    const where = [condition, ...(after === undefined ? [] : below(after))]
    const orderBy = sql`${inOrder('DESC')}, ${newestVersion}`
    const versions = await newestVersions(
      columnStore,
      what,
      { where, orderBy, limit: limit + 1 },
      { ...unsized, isSortedLate: true },
    ).catch(ifOverloaded)
    if (versions === undefined || versions.reduce((sum, { key }) => sum + key.size, 0) > maxPageSize) return undefined
    const rows = versions.filter(({ key }) => key.passes === 1)
    if (versions.length <= limit) return { rows: rows.map(({ row }) => row), next: undefined }
    return rows.length <= limit ? undefined : { rows: rows.slice(0, limit).map(({ row }) => row), next: rows[limit - 1]!.key }
  }

  function fitting(keys: readonly EventKey[], used: number, sizeOf: (key: EventKey) => number) {
    let count = 0
    for (; count < keys.length && (used < maxPageSize || count === 0); count++) used += sizeOf(keys[count]!)
    return { keys: keys.slice(0, count), used }
  }

  async function sizesOf(keys: readonly EventKey[]): Promise<(key: EventKey) => number> {
    const fields = { ...eventKey, size: numberField(size) }
    const sized = await read(columnStore, select(versionsIn(show.table, scope), fields, { where: among(keys) }), bounds)
    const sizes = new Map<string, number>()
    for (const row of sized) sizes.set(nameOf(row), Math.max(row.size, sizes.get(nameOf(row)) ?? 0))
    return key => sizes.get(nameOf(key)) ?? 0
  }

  /** Reads the rows of the first keys: as many as fit into a page, but at least one. */
  async function rowsThatFit(keys: readonly EventKey[], used: number) {
    const found = await sizedRowsOfKeys(columnStore, what, keys, unsized).catch(ifOverloaded)
    const fit = fitting(keys, used, found?.sizeOf ?? (await sizesOf(keys)))
    const { rows } = found ?? (await sizedRowsOfKeys(columnStore, what, fit.keys, bounds))
    const names = new Set(fit.keys.map(nameOf))
    return { ...fit, rows: rows.filter(({ key }) => names.has(nameOf(key))) }
  }

  const atOnce = few === undefined ? undefined : await whole(few)
  if (atOnce !== undefined) return atOnce
  const find = keyFinder(columnStore, scope, from, after, bounds)
  const found: { readonly key: EventKey; readonly row: RowOf<F> }[] = []
  const page = (next: EventKey | undefined): Page<RowOf<F>> => ({ rows: found.map(({ row }) => row), next })
  let pending: FoundKeys | undefined
  let position = after
  let used = 0

  /** Reads the rows of some more keys. Returns the page if it is now complete. */
  async function round(): Promise<Page<RowOf<F>> | undefined> {
    // The search looks for one key more than the page needs, because this key shows whether there is a next page.
    const wanted = Math.max(limit - found.length + 1, position === after ? 0 : keysOfARound)
    // The search looks for two versions per wanted key, because many rows have several versions. Finding keys costs much less than reading
    // rows.
    pending ??= await find(2 * wanted)
    if (pending === undefined) return page(undefined)
    const { keys, isEnd } = pending
    const next = keys.slice(0, wanted)
    const fit = next.length === 0 ? { keys: next, used, rows: [] } : await rowsThatFit(next, used)
    for (const each of fit.rows) {
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
      // If the time budget is used up, the rows found so far become the page. The next page has a new time budget.
      if (!isOverloaded(error) || found.length === 0) throw error
      return page(position)
    }
  }
}

function ifOverloaded(error: unknown): undefined {
  if (!isOverloaded(error)) throw error
}
