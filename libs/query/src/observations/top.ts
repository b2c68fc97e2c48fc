// Finds the rows with the largest or smallest values of a numeric field. The query reads every row of the range.
import { e, eventKey } from '../fields/events.ts'
import { entry, firstTokenMs, latencyMs } from '../fields/expressions.ts'
import { rowsOfKeys } from '../newest/page.ts'
import { type Bounds, deadlineIn } from '../sql/scope.ts'
import { newestIn, type Reads, read, select } from '../sql/select.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { type ListOptions, limits, listingOf } from './list.ts'
import { type PricesOf, withoutPrices } from './prices.ts'
import { conditionsOf, type ObservationsQuery, rangeOf } from './query.ts'
import { type RowsPage, rowFields } from './rows.ts'

const sorted = {
  latency: latencyMs,
  cost: entry(e.cost_details.sql, 'total'),
  tokens: entry(e.usage_details.sql, 'total'),
  ttft: firstTokenMs,
} as const satisfies Readonly<Record<string, Sql>>

export interface TopQuery extends Pick<ObservationsQuery, 'filter' | 'fromStartTime' | 'toStartTime'> {
  readonly by: keyof typeof sorted
  readonly isAscending: boolean
  readonly limit: number
}

/**
 * Returns the rows with the largest or smallest values, without rows that have no value. Throws InvalidQuery, a `column_store_*` error, or
 * the abort signal's reason.
 */
export async function topRows(
  columnStore: Reads,
  { projectId, query, signal, deadline = deadlineIn(20, 'a sorted list of observations') }: ListOptions<TopQuery>,
  pricesOf: PricesOf,
): Promise<RowsPage['data']> {
  const given = conditionsOf(query)
  const bounds: Bounds = { limits, deadline, signal, comment: 'observations.top' }
  const scope = { project: projectId, time: rangeOf(given) }
  const conditions = await withoutPrices(columnStore, { conditions: given, scope, bounds }, pricesOf)
  const { show } = listingOf(projectId, conditions, { fields: rowFields, isWhole: false, size: sql`0` })
  const source = newestIn(show.table, scope)
  const by = sorted[query.by]
  const orderBy = query.isAscending ? sql`${by} ASC, ${e.start_time.sql} DESC` : sql`${by} DESC, ${e.start_time.sql} DESC`
  // Sorting whole rows would keep all texts in memory, so the first query sorts keys.
  const where = [...show.where, sql`isNotNull(${by})`]
  const keys = await read(columnStore, select(source, eventKey, { where, orderBy, limit: query.limit }), bounds)
  if (keys.length === 0) return []
  const rows = await rowsOfKeys(columnStore, { ...show, where: [] }, [keys, scope], bounds)
  return rows.map(({ row }) => row)
}
