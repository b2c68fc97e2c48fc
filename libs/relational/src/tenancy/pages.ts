// `page` starts at 1, and every page includes the total number of rows.
import type { SelectQueryBuilder } from 'kysely'
import { sql } from './sql.ts'

export interface Page {
  readonly page: number
  readonly limit: number
}

export interface PageOf<Row> {
  readonly rows: readonly Row[]
  readonly totalItems: number
}

/** Returns one page of a query, which must be ordered and must not group rows. A page after the last page is empty. */
export async function pageOf<DB, T extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, T, Row>,
  { page, limit }: Page,
): Promise<PageOf<Row>> {
  const counting = query.clearSelect().clearOrderBy().select(sql<string>`count(*)::text`.as('count'))
  const { count } = (await counting.executeTakeFirstOrThrow()) as { readonly count: string }
  const totalItems = Number(count)
  const offset = (page - 1) * limit
  if (offset >= totalItems) return { rows: [], totalItems }
  return { rows: await query.limit(limit).offset(offset).execute(), totalItems }
}

export const mapPage = <Row, View>({ rows, totalItems }: PageOf<Row>, view: (row: Row) => View): PageOf<View> => ({
  rows: rows.map(view),
  totalItems,
})
