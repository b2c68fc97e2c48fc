// The queries for GET /api/public/observations and /observations/{observationId} (contract §20.4).
import type { ModelPrices, PricesOf } from '../observations/prices.ts'
import { nullable, number } from '../sql/decode.ts'
import { field, millis, type RowOf, textField } from '../sql/field.ts'
import type { Bounds, Scope } from '../sql/scope.ts'
import { newestIn, type Reads, read, select } from '../sql/select.ts'
import { type Sql, sql, value } from '../sql/sql.ts'
import { type Asked, boundsOf } from './bounds.ts'
import { conditionsOf } from './conditions.ts'
import { firstTokenMs, latencyMs, observationColumns, observationsWhere } from './observation-columns.ts'
import { keysOfPage, type PageAsked, type PageMeta, sizeOf } from './page.ts'
import { bytesOf, mapText, millisOrNull, o, observations } from './tables.ts'

export interface LegacyObservationsQuery extends PageAsked {
  readonly name?: string | undefined
  readonly userId?: string | undefined
  readonly type?: string | undefined
  readonly traceId?: string | undefined
  readonly level?: string | undefined
  readonly parentObservationId?: string | undefined
  readonly environment?: readonly string[] | undefined
  readonly version?: string | undefined
  /** ISO 8601, checked. */
  readonly fromStartTime?: string | undefined
  readonly toStartTime?: string | undefined
  readonly filter?: string | undefined
}

const stored = {
  ...{ id: o.id, trace_id: o.trace_id, project_id: o.project_id, type: o.type, parent_observation_id: o.parent_observation_id },
  ...{ name: o.name, environment: o.environment, level: o.level, status_message: o.status_message, version: o.version },
  ...{ start_ms: millis(o.start_time), end_ms: millisOrNull(o.end_time), completion_start_ms: millisOrNull(o.completion_start_time) },
  ...{ created_ms: millis(o.created_at), updated_ms: millis(o.updated_at) },
  ...{ input: o.input, output: o.output, metadata: mapText(o.metadata) },
  ...{ model: o.provided_model_name, model_id: o.internal_model_id, model_parameters: o.model_parameters },
  ...{ prompt_id: o.prompt_id, prompt_name: o.prompt_name, prompt_version: o.prompt_version },
  ...{ usage: mapText(o.usage_details), cost: mapText(o.cost_details) },
  ...{ tier_id: o.usage_pricing_tier_id, tier_name: o.usage_pricing_tier_name },
  latency_ms: field(latencyMs, nullable(number)),
  first_token_ms: field(firstTokenMs, nullable(number)),
}
const bytes = bytesOf([o.input, o.output, o.status_message, o.model_parameters], o.metadata)

/** In this row, maps and metadata have the form of JSON text. */
export type StoredObservation = RowOf<typeof stored> & { readonly prices: ModelPrices | undefined }

export interface ObservationRows {
  readonly rows: readonly StoredObservation[]
  /** Size of the long fields. */
  readonly bytes: number
}

export interface LegacyObservationsPage extends ObservationRows {
  readonly meta: PageMeta
}

const key = { type: o.type, day: textField(sql`toDate(${o.start_time.sql})`), id: o.id, trace: o.trace_id }

/** Throws InvalidQuery, `response_too_large`, a `column_store_*` error, or the abort signal's reason. */
export async function listLegacyObservations(
  columnStore: Reads,
  { projectId, query, signal }: Asked<LegacyObservationsQuery>,
  pricesOf: PricesOf,
): Promise<LegacyObservationsPage> {
  const { name, userId, type, traceId, level, parentObservationId, environment, version, fromStartTime: from, toStartTime: to } = query
  const simple = {
    equal: { name, userId, type, traceId, level, parentObservationId, version },
    ...{ anyOf: { environment }, time: { id: 'startTime', from, to } },
  }
  const { source, where } = observationsWhere(projectId, conditionsOf(observationColumns, simple, query.filter))
  const bounds = boundsOf('legacy.observations', 'a page of observations', signal)
  const orderBy = sql`${o.start_time.sql} DESC, ${o.id.sql}, ${o.trace_id.sql}`
  const { keys, meta } = await keysOfPage(columnStore, { source, where, key, orderBy }, query, bounds)
  if (keys.length === 0) return { rows: [], bytes: 0, meta }
  const found = await rowsWhere(columnStore, projectId, [among(keys)], bounds, pricesOf)
  const byKey = new Map(found.rows.map(row => [nameOf(row.trace_id, row.id), row]))
  return { ...found, rows: keys.flatMap(each => byKey.get(nameOf(each.trace, each.id)) ?? []), meta }
}

const nameOf = (trace: string, id: string) => JSON.stringify([trace, id])

function among(keys: readonly RowOf<typeof key>[]): Sql {
  const types = value(
    'Array(String)',
    keys.map(({ type }) => type),
  )
  const days = value(
    'Array(Date)',
    keys.map(({ day }) => day),
  )
  const ids = value(
    'Array(String)',
    keys.map(({ id }) => id),
  )
  return sql`(${o.type.sql}, toDate(${o.start_time.sql}), ${o.id.sql}) IN arrayZip(${types}, ${days}, ${ids})`
}

const scopeOf = (project: string): Scope => ({ project, time: { everyTime: 'Rows of keys, of an id or of a trace can have any time' } })

async function rowsWhere(
  columnStore: Reads,
  project: string,
  where: readonly Sql[],
  bounds: Bounds,
  pricesOf: PricesOf,
): Promise<ObservationRows> {
  const source = newestIn(observations, scopeOf(project))
  const size = await sizeOf(columnStore, { source, where, bytes }, bounds)
  const rows = await read(columnStore, select(source, stored, { where, orderBy: sql`${o.start_time.sql}, ${o.id.sql}` }), bounds)
  const ids = [...new Set(rows.flatMap(row => row.model_id || []))]
  const prices = ids.length === 0 ? undefined : await pricesOf(project, ids)
  return { rows: rows.map(row => ({ ...row, prices: prices?.get(row.model_id ?? '') })), bytes: size }
}

/** Finds an observation by its id. If the id exists in several traces, the observation written last wins. */
export async function findLegacyObservation(
  columnStore: Reads,
  { projectId, query: id, signal }: Asked<string>,
  pricesOf: PricesOf,
): Promise<ObservationRows | undefined> {
  const bounds = boundsOf('legacy.observation', 'an observation', signal)
  const source = newestIn(observations, scopeOf(projectId))
  const where = [sql`${o.id.sql} = ${value('String', id.toWellFormed())}`]
  const [found] = await read(columnStore, select(source, key, { where, orderBy: sql`${o.event_ts.sql} DESC`, limit: 1 }), bounds)
  if (found === undefined) return undefined
  const rows = await rowsWhere(
    columnStore,
    projectId,
    [among([found]), sql`${o.trace_id.sql} = ${value('String', found.trace)}`],
    bounds,
    pricesOf,
  )
  return rows.rows.length === 0 ? undefined : rows
}

/** Returns a trace's observations in the order of their start times. */
export const observationsOfTrace = (columnStore: Reads, project: string, traceId: string, bounds: Bounds, pricesOf: PricesOf) =>
  rowsWhere(columnStore, project, [sql`${o.trace_id.sql} = ${value('String', traceId)}`], bounds, pricesOf)
