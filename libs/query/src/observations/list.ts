// GET /api/public/v2/observations (contract §17.2).
import { e, eventsCore, eventsFull } from '../fields/events.ts'
import { commaList } from '../fields/wire.ts'
import type { Condition } from '../filter/condition.ts'
import { conditionSql, isExactOnCore } from '../filter/sql.ts'
import { badShape } from '../invalid-query.ts'
import { decodeCursor, encodeCursor, listHash } from '../newest/cursor.ts'
import { type Listing, newestPage } from '../newest/page.ts'
import type { Fields, RowOf } from '../sql/field.ts'
import { type Bounds, type Deadline, deadlineIn, type Limits } from '../sql/scope.ts'
import type { Reads } from '../sql/select.ts'
import { type Sql, sql, value } from '../sql/sql.ts'
import { noPrices, type ObservationPrices, type PricesOf, withoutPrices } from './prices.ts'
import { conditionsOf, type ObservationsQuery, rangeOf } from './query.ts'
import { groupsOf, type ShownObservation, shownFields, sizeOf } from './shown.ts'

/**
 * The fields of a group are absent if the request did not select that group. Only the fields of `ObservationPrices` are always present.
 * They are null if the request did not select the group `model`.
 */
type ObservationV2 = ShownObservation & ObservationPrices

export interface ObservationsPage {
  readonly data: readonly ObservationV2[]
  readonly meta: { readonly cursor?: string }
}

export interface ListOptions<Query> {
  readonly projectId: string
  readonly query: Query
  readonly signal: AbortSignal | undefined
  readonly deadline?: Deadline
}

export const limits: Limits = { rows: 20_000, memoryBytes: 2 ** 29, readBytes: 2 ** 37 }
const maxLimit = 1_000

/** Throws InvalidQuery, a `column_store_*` error, or the abort signal's reason. */
export async function listObservations(
  columnStore: Reads,
  options: ListOptions<ObservationsQuery>,
  pricesOf: PricesOf,
): Promise<ObservationsPage> {
  const asked = groupsOf(options.query.fields)
  const { rows, meta } = await pageOf(columnStore, options, shownIn(options.query), pricesOf)
  const data = asked.has('model') ? await priced(rows, options.projectId, pricesOf) : rows.map(row => ({ ...row, ...noPrices }))
  return { data, meta }
}

interface Shown<F extends Fields> {
  readonly fields: F
  /** If true, the fields need untruncated texts. */
  readonly isWhole: boolean
  readonly size: Sql
}

export function shownIn({ fields, expandMetadata }: ObservationsQuery): Shown<ReturnType<typeof shownFields>> {
  const asked = groupsOf(fields)
  const isExpanded = commaList(expandMetadata).length > 0
  const isWhole = asked.has('io') || (asked.has('metadata') && isExpanded)
  return { fields: shownFields(asked, isExpanded), isWhole, size: sizeOf(asked) }
}

/** Reads a page with the fields that the caller chooses. Throws like `listObservations`. */
export async function pageOf<F extends Fields>(
  columnStore: Reads,
  { projectId, query, signal, deadline = deadlineIn(20, 'a page of observations') }: ListOptions<ObservationsQuery>,
  shown: Shown<F>,
  pricesOf: PricesOf,
): Promise<{ readonly rows: readonly RowOf<F>[]; readonly meta: ObservationsPage['meta'] }> {
  const { limit = 50 } = query
  if (!Number.isInteger(limit) || limit < 0 || limit > maxLimit) {
    throw badShape({ path: ['limit'], message: `Expected a whole number from 0 to ${maxLimit}.` })
  }
  const given = conditionsOf(query)
  const hash = listHash(given, 'startTime')
  const after = decodeCursor(query.cursor, hash)
  if (limit === 0) return { rows: [], meta: {} }
  const bounds: Bounds = { limits, deadline, signal, comment: 'observations.list' }
  const scope = { project: projectId, time: rangeOf(given) }
  const conditions = await withoutPrices(columnStore, { conditions: given, scope, bounds }, pricesOf)
  const { rows, next } = await newestPage(columnStore, listingOf(projectId, conditions, shown), { limit, after, bounds })
  return { rows, meta: next === undefined ? {} : { cursor: encodeCursor(next, hash) } }
}

export function listingOf<F extends Fields>(project: string, conditions: readonly Condition[], shown: Shown<F>): Listing<F> {
  const sqlOf = (cut: boolean) => conditions.map(condition => conditionSql(condition, { project, cut }))
  const isSearch = conditions.some(({ is }) => is === 'search')
  const isWhole = shown.isWhole || !conditions.every(isExactOnCore)
  return {
    scope: { project, time: rangeOf(conditions) },
    find: isSearch ? { table: eventsFull, where: sqlOf(false) } : { table: eventsCore, where: sqlOf(true) },
    show: { table: isWhole ? eventsFull : eventsCore, where: sqlOf(!isWhole), fields: shown.fields },
    size: shown.size,
    few: ofOneTrace(conditions),
  }
}

/**
 * If a condition selects a single trace, this function returns the SQL of that condition. All versions of a row have the same trace, so the
 * condition is valid for each version.
 */
function ofOneTrace(conditions: readonly Condition[]): Sql | undefined {
  const found = conditions.find(({ is, field }) => is === 'text' && field.id === 'traceId')
  return found?.is === 'text' && found.operator === '=' ? sql`${e.trace_id.sql} = ${value('String', found.value)}` : undefined
}

async function priced(rows: readonly ShownObservation[], projectId: string, pricesOf: PricesOf): Promise<readonly ObservationV2[]> {
  const ids = [...new Set(rows.flatMap(({ internalModelId }) => internalModelId ?? []))]
  const prices = ids.length === 0 ? new Map() : await pricesOf(projectId, ids)
  return rows.map(row => {
    const modelId = row.internalModelId ?? null
    return { ...row, ...noPrices, ...(modelId !== null && prices.get(modelId)), modelId }
  })
}
