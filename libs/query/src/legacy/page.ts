// Numbered pages of the v3 tables. The first query counts the rows, the second finds the page's keys, and the third reads the rows. Only
// the third reads long fields.
import { AppError } from '@svc-server/errors'
import type { Field, Fields, RowOf } from '../sql/field.ts'
import { numberField } from '../sql/field.ts'
import type { Bounds } from '../sql/scope.ts'
import { type Reads, read, type Source, select } from '../sql/select.ts'
import { type Sql, sql } from '../sql/sql.ts'

export interface PageMeta {
  readonly page: number
  readonly limit: number
  readonly totalItems: number
  readonly totalPages: number
}

export interface PageAsked {
  readonly page: number
  readonly limit: number
}

function metaOf({ page, limit }: PageAsked, totalItems: number): PageMeta {
  return { page, limit, totalItems, totalPages: Math.ceil(totalItems / limit) }
}

export interface Keyed<K extends Fields> {
  readonly source: Source
  readonly where: readonly Sql[]
  readonly key: K
  readonly orderBy: Sql
  /** Identifies an object. Required if one object can have several rows with different keys. */
  readonly identity?: Sql
}

/**
 * Returns the page's keys, and the page numbers and counts for the response. Throws a `column_store_*` error, or the abort signal's reason.
 */
export async function keysOfPage<K extends Fields>(
  columnStore: Reads,
  { source, where, key, orderBy, identity }: Keyed<K>,
  asked: PageAsked,
  bounds: Bounds,
): Promise<{ readonly keys: readonly RowOf<K>[]; readonly meta: PageMeta }> {
  const total = { total: numberField(identity === undefined ? sql`count()` : sql`uniqExact(${identity})`) }
  const [counted] = await read(columnStore, select(source, total, { where }), bounds)
  const meta = metaOf(asked, counted?.total ?? 0)
  const offset = (asked.page - 1) * asked.limit
  if (offset >= meta.totalItems) return { keys: [], meta }
  const clauses = { where, orderBy, limit: asked.limit, offset, ...(identity !== undefined && { firstOf: identity }) }
  return { keys: await read(columnStore, select(source, key, clauses), bounds), meta }
}

/** Maximum bytes of a response, because larger responses would delay other requests. */
const maxBytes = 32 * 1024 * 1024

/** Throws `response_too_large`. */
export async function sizeOf(
  columnStore: Reads,
  { source, where, bytes }: { readonly source: Source; readonly where: readonly Sql[]; readonly bytes: Field<number> },
  bounds: Bounds,
): Promise<number> {
  const [row] = await read(columnStore, select(source, { bytes: numberField(sql`sum(${bytes.sql})`) }, { where }), bounds)
  const size = row?.bytes ?? 0
  if (size > maxBytes) throw new AppError('response_too_large', 'Response payload is too large.', { bytes: size })
  return size
}
