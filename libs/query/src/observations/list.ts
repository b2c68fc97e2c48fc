// GET /api/public/v2/observations (public-api-data.md §1.2).
import { eventsCore, eventsFull } from '../fields/events.ts'
import { commaList } from '../fields/wire.ts'
import type { Condition } from '../filter/condition.ts'
import { conditionSql, isExactOnCore } from '../filter/sql.ts'
import { badShape } from '../invalid-query.ts'
import { decodeCursor, encodeCursor, listHash } from '../newest/cursor.ts'
import { type Listing, newestPage } from '../newest/page.ts'
import { type Bounds, type Deadline, deadlineIn, type Limits } from '../sql/scope.ts'
import type { Reads } from '../sql/select.ts'
import { noPrices, type ObservationPrices, type PricesOf, withoutPrices } from './prices.ts'
import { conditionsOf, type ObservationsQuery, rangeOf } from './query.ts'
import { groupsOf, type ObservationGroup, type ShownObservation, shownFields, sizeOf } from './shown.ts'

/** The form of the wire. Keys of groups that were not asked for are absent. */
type ObservationV2 = ShownObservation & ObservationPrices

export interface ObservationsPage {
  readonly data: readonly ObservationV2[]
  readonly meta: { readonly cursor?: string }
}

export interface ListOptions<Query> {
  readonly projectId: string
  readonly query: Query
  readonly signal: AbortSignal | undefined
  /** Default: 20 seconds. */
  readonly deadline?: Deadline
}

const limits: Limits = { rows: 20_000, memoryBytes: 2 ** 29, readBytes: 2 ** 37 }
const maxLimit = 1_000

/** Throws InvalidQuery, a column_store_* AppError, or the signal's reason. */
export async function listObservations(
  columnStore: Reads,
  { projectId, query, signal, deadline = deadlineIn(20, 'a page of observations') }: ListOptions<ObservationsQuery>,
  pricesOf: PricesOf,
): Promise<ObservationsPage> {
  const { limit = 50 } = query
  if (!Number.isInteger(limit) || limit < 0 || limit > maxLimit) {
    throw badShape({ path: ['limit'], message: `Expected a whole number from 0 to ${maxLimit}.` })
  }
  const given = conditionsOf(query)
  const hash = listHash(given, 'startTime')
  const after = decodeCursor(query.cursor, hash)
  if (limit === 0) return { data: [], meta: {} }
  const asked = groupsOf(query.fields)
  const bounds: Bounds = { limits, deadline, signal, comment: 'observations.list' }
  const scope = { project: projectId, time: rangeOf(given) }
  const conditions = await withoutPrices(columnStore, { conditions: given, scope, bounds }, pricesOf)
  const listing = listingOf(projectId, conditions, asked, commaList(query.expandMetadata).length > 0)
  const { rows, next } = await newestPage(columnStore, listing, { limit, after, bounds })
  const data = asked.has('model') ? await priced(rows, projectId, pricesOf) : rows.map(row => ({ ...row, ...noPrices }))
  return { data, meta: next === undefined ? {} : { cursor: encodeCursor(next, hash) } }
}

function listingOf(project: string, conditions: readonly Condition[], asked: ReadonlySet<ObservationGroup>, isExpanded: boolean) {
  const sqlOf = (cut: boolean) => conditions.map(condition => conditionSql(condition, { project, cut }))
  // Only events_full has an index of the words of texts.
  const isSearch = conditions.some(({ is }) => is === 'search')
  const isWhole = asked.has('io') || (asked.has('metadata') && isExpanded) || !conditions.every(isExactOnCore)
  return {
    scope: { project, time: rangeOf(conditions) },
    find: isSearch ? { table: eventsFull, where: sqlOf(false) } : { table: eventsCore, where: sqlOf(true) },
    show: { table: isWhole ? eventsFull : eventsCore, where: sqlOf(!isWhole), fields: shownFields(asked, isExpanded) },
    size: sizeOf(asked),
  } satisfies Listing<ReturnType<typeof shownFields>>
}

async function priced(rows: readonly ShownObservation[], projectId: string, pricesOf: PricesOf): Promise<readonly ObservationV2[]> {
  const ids = [...new Set(rows.flatMap(({ internalModelId }) => internalModelId ?? []))]
  const prices = ids.length === 0 ? new Map() : await pricesOf(projectId, ids)
  return rows.map(row => {
    const modelId = row.internalModelId ?? null
    return { ...row, ...noPrices, ...(modelId !== null && prices.get(modelId)), modelId }
  })
}
