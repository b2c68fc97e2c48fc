// Pages of rows of the events tables, newest first, each row once as its newest version has it (schema.md §5).
//
// First the keys, in the order of the table and without FINAL, which would read the whole range: a key is found where any version of it passes. Then
// the rows of these keys with FINAL, of which those stay whose newest version passes. A key whose newest version passes is always found.
import { type EventKey, e, eventKey, type eventsCore, type eventsFull } from '../fields/events.ts'
import { type Fields, numberField, type RowOf } from '../sql/field.ts'
import type { Bounds, Scope } from '../sql/scope.ts'
import { newestIn, type Reads, read, readKeyed, select, timeValue, versionsIn } from '../sql/select.ts'
import { join, type Sql, sql, value } from '../sql/sql.ts'
import { textOfMicros } from '../times.ts'

type Events = typeof eventsCore | typeof eventsFull

export interface Listing<F extends Fields> {
  readonly scope: Scope
  /** Where keys are found. `where` may hold for more rows than those of the list, and for all of them. */
  readonly find: { readonly table: Events; readonly where: readonly Sql[] }
  /** Where rows are read, and what exactly holds for them. */
  readonly show: { readonly table: Events; readonly where: readonly Sql[]; readonly fields: F }
  /** Of what may be long in a row, about how long it is. */
  readonly size: Sql
}

export interface Page<Row> {
  readonly rows: readonly Row[]
  /** The last key that was looked at; undefined on the last page. */
  readonly next: EventKey | undefined
}

/** Of a page's rows together, but for the last of them; where there are more, the page ends before them. */
const maxPageSize = 4 * 1024 * 1024
/** Of a round after the first, at least: rows of which only older versions pass may come in rows. */
const keysOfARound = 101

const tuple = sql`(${join(
  Object.values(eventKey).map(field => field.sql),
  ', ',
)})`
const orderBy = join(
  Object.values(eventKey).map(field => sql`${field.sql} DESC`),
  ', ',
)

/** The second condition is in the first: the table's index understands it. */
function below({ start_us, trace_hash, span }: EventKey): readonly Sql[] {
  const start = timeValue(start_us, 'Micro')
  return [sql`${tuple} < (${start}, ${value('UInt32', trace_hash)}, ${value('String', span)})`, sql`${e.start_time.sql} <= ${start}`]
}

function among(keys: readonly EventKey[]): readonly Sql[] {
  // As texts of this type: the index of the table understands no function of a parameter here.
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
  return [sql`${tuple} IN arrayZip(${times}, ${hashes}, ${spans})`]
}

const nameOf = ({ start_us, trace_hash, span }: EventKey): string => `${start_us} ${trace_hash} ${span}`

/** Throws a column_store_* AppError, or the signal's reason. */
export async function newestPage<F extends Fields>(
  columnStore: Reads,
  { scope, find, show, size }: Listing<F>,
  { limit, after, bounds }: { readonly limit: number; readonly after: EventKey | undefined; readonly bounds: Bounds },
): Promise<Page<RowOf<F>>> {
  async function keysAfter(count: number, position: EventKey | undefined): Promise<readonly EventKey[]> {
    const where = [sql`${e.is_deleted.sql} = 0`, ...find.where, ...(position === undefined ? [] : below(position))]
    return read(columnStore, select(versionsIn(find.table, scope), eventKey, { where, orderBy, limit: count }), bounds)
  }

  /** As many keys as a page holds, one at least. */
  async function fitting(keys: readonly EventKey[], used: number): Promise<{ readonly keys: readonly EventKey[]; readonly used: number }> {
    const fields = { ...eventKey, size: numberField(size) }
    const sized = await read(columnStore, select(versionsIn(show.table, scope), fields, { where: among(keys) }), bounds)
    const sizes = new Map<string, number>()
    for (const row of sized) sizes.set(nameOf(row), Math.max(row.size, sizes.get(nameOf(row)) ?? 0))
    let count = 0
    for (; count < keys.length && (used < maxPageSize || count === 0); count++) used += sizes.get(nameOf(keys[count]!)) ?? 0
    return { keys: keys.slice(0, count), used }
  }

  async function rowsOf(keys: readonly EventKey[]) {
    const where = [...among(keys), ...show.where]
    const found = await readKeyed(columnStore, [newestIn(show.table, scope), eventKey, show.fields, { where }], bounds)
    const byKey = new Map(found.map(({ key, row }) => [nameOf(key), row]))
    return keys.flatMap(key => {
      const row = byKey.get(nameOf(key))
      return row === undefined ? [] : [{ key, row }]
    })
  }

  const found: { readonly key: EventKey; readonly row: RowOf<F> }[] = []
  let position = after
  let used = 0
  for (;;) {
    // One more than the page holds says whether there is another one.
    const asked = Math.max(limit - found.length + 1, position === after ? 0 : keysOfARound)
    const candidates = await keysAfter(asked, position)
    const keys = [...new Map(candidates.map(key => [nameOf(key), key])).values()]
    if (keys.length === 0) return { rows: rowsOnly(found), next: undefined }
    const fit = await fitting(keys, used)
    used = fit.used
    for (const each of await rowsOf(fit.keys)) {
      if (found.length === limit) return { rows: rowsOnly(found), next: found.at(-1)!.key }
      found.push(each)
    }
    position = fit.keys.at(-1)!
    if (candidates.length < asked && fit.keys.length === keys.length) return { rows: rowsOnly(found), next: undefined }
    const isFull = used >= maxPageSize || bounds.deadline.isLate()
    if (found.length > 0 && isFull) return { rows: rowsOnly(found), next: position }
  }
}

const rowsOnly = <Row>(found: readonly { readonly row: Row }[]): readonly Row[] => found.map(({ row }) => row)
