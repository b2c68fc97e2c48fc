// GET /api/public/traces and /traces/{traceId} (contract §20.2).
import { badShape } from '../invalid-query.ts'
import type { PricesOf } from '../observations/prices.ts'
import { newestScores, subject } from '../scores/named.ts'
import { scores } from '../scores/table.ts'
import { field, millis, type RowOf, textField } from '../sql/field.ts'
import type { Bounds } from '../sql/scope.ts'
import { newestIn, type Reads, read, select } from '../sql/select.ts'
import { sql, value } from '../sql/sql.ts'
import { type Asked, boundsOf } from './bounds.ts'
import { conditionsOf } from './conditions.ts'
import { observationsOfTrace, type StoredObservation } from './observations.ts'
import { keysOfPage, type PageAsked, type PageMeta, sizeOf } from './page.ts'
import { type StoredScore, scoresOfTrace } from './scores.ts'
import { bytesOf, mapText, t, traces } from './tables.ts'
import { totalsOf } from './totals.ts'
import { traceColumns, tracesWhere } from './trace-columns.ts'

export interface TracesQuery extends PageAsked {
  readonly userId?: string | undefined
  readonly name?: string | undefined
  readonly sessionId?: string | undefined
  readonly version?: string | undefined
  readonly release?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly environment?: readonly string[] | undefined
  /** ISO 8601, checked. */
  readonly fromTimestamp?: string | undefined
  readonly toTimestamp?: string | undefined
  /** `timestamp.desc` */
  readonly orderBy?: string | undefined
  readonly fields?: string | undefined
  readonly filter?: string | undefined
}

const traceGroups = ['core', 'io', 'scores', 'observations', 'metrics'] as const
type TraceGroup = (typeof traceGroups)[number]

const core = {
  ...{ id: t.id, at_ms: millis(t.timestamp), name: t.name, user_id: t.user_id, release: t.release, version: t.version },
  ...{ project_id: t.project_id, environment: t.environment, public: t.public, bookmarked: t.bookmarked, tags: t.tags },
  ...{ session_id: t.session_id, created_ms: millis(t.created_at), updated_ms: millis(t.updated_at) },
}
const io = { input: t.input, output: t.output, metadata: mapText(t.metadata) }
const bytes = bytesOf([t.input, t.output], t.metadata)

/** The fields of `io` are present if the request selected them. `metadata` is JSON text: an object whose values are texts. */
export type StoredTrace = RowOf<typeof core> & Partial<RowOf<typeof io>>

export interface ListedTrace extends StoredTrace {
  readonly observations: readonly string[]
  readonly scores: readonly string[]
  /** Cost in US dollars. Like `latencyMs`, the cost is -1 if it was not requested. */
  readonly totalCost: number
  readonly latencyMs: number
}

export interface TracePage {
  readonly rows: readonly ListedTrace[]
  readonly groups: readonly TraceGroup[]
  readonly meta: PageMeta
  /** Size of the long fields. */
  readonly bytes: number
}

const orders = {
  ...{ id: t.id.sql, timestamp: t.timestamp.sql, name: t.name.sql, userId: t.user_id.sql, release: t.release.sql },
  ...{ version: t.version.sql, public: t.public.sql, bookmarked: t.bookmarked.sql, sessionId: t.session_id.sql },
}

function orderOf(text = 'timestamp.desc') {
  const [, name = '', direction] = /^(\w+)\.(asc|desc)$/i.exec(text) ?? []
  const order = Object.entries(orders).find(([each]) => each === name)
  if (order === undefined || direction === undefined) {
    const names = Object.keys(orders).join(', ')
    throw badShape({ path: ['orderBy'], message: `Expected a field and a direction, such as timestamp.desc. Fields are ${names}.` })
  }
  return direction.toLowerCase() === 'asc' ? sql`${order[1]} ASC, ${t.id.sql}` : sql`${order[1]} DESC, ${t.id.sql}`
}

/** Unknown names are ignored. */
function traceGroupsOf(fields: string | undefined): readonly TraceGroup[] {
  if (fields === undefined || fields.trim() === '') return traceGroups
  const asked = new Set(['core', ...fields.split(',').map(each => each.trim())])
  return traceGroups.filter(group => asked.has(group))
}

/** Throws InvalidQuery, `response_too_large`, a `column_store_*` error, or the abort signal's reason. */
export async function listTraces(columnStore: Reads, { projectId, query, signal }: Asked<TracesQuery>): Promise<TracePage> {
  const { userId, name, sessionId, version, release, tags, environment, fromTimestamp: from, toTimestamp: to } = query
  const simple = {
    equal: { userId, name, sessionId, version, release },
    ...{ anyOf: { environment }, allOf: { tags }, time: { id: 'timestamp', from, to } },
  }
  const orderBy = orderOf(query.orderBy)
  const groups = traceGroupsOf(query.fields)
  const conditions = conditionsOf(traceColumns, simple, query.filter)
  const bounds = boundsOf('legacy.traces', 'a page of traces', signal)
  const { source, where } = tracesWhere(projectId, conditions)
  const { keys, meta } = await keysOfPage(columnStore, { source, where, key: { id: t.id }, orderBy, identity: t.id.sql }, query, bounds)
  if (keys.length === 0) return { rows: [], groups, meta, bytes: 0 }
  const ids = keys.map(({ id }) => id)
  const found = await rowsAt(columnStore, projectId, { keys: await newestOf(columnStore, projectId, ids, bounds), groups }, bounds)
  const related = await relatedOf(columnStore, { projectId, ids, groups }, bounds)
  const rows = ids.flatMap(id => {
    const row = found.rows.get(id)
    return row === undefined ? [] : [{ ...row, ...related(id) }]
  })
  return { rows, groups, meta, bytes: found.bytes }
}

interface At {
  readonly keys: readonly { readonly id: string; readonly day: string }[]
  readonly groups: readonly TraceGroup[]
}

/**
 * Finds the day of each trace's newest row. v3 wrote no tombstone when a trace moved to a later day, so an older row can exist under an
 * earlier day.
 */
async function newestOf(columnStore: Reads, project: string, ids: readonly string[], bounds: Bounds) {
  const source = newestIn(traces, { project, time: { everyTime: 'A trace that is named may have any time' } })
  const fields = { id: t.id, day: textField(sql`argMax(toDate(${t.timestamp.sql}), ${t.event_ts.sql})`) }
  const where = [sql`${t.id.sql} IN ${value('Array(String)', ids)}`]
  return read(columnStore, select(source, fields, { where, groupBy: [t.id.sql] }), bounds)
}

async function rowsAt(columnStore: Reads, project: string, { keys, groups }: At, bounds: Bounds) {
  if (keys.length === 0) return { bytes: 0, rows: new Map<string, StoredTrace>() }
  const source = newestIn(traces, { project, time: { everyTime: 'Keys have their days' } })
  const days = value(
    'Array(Date)',
    keys.map(({ day }) => day),
  )
  const ids = value(
    'Array(String)',
    keys.map(({ id }) => id),
  )
  const where = [sql`(toDate(${t.timestamp.sql}), ${t.id.sql}) IN arrayZip(${days}, ${ids})`]
  const hasIo = groups.includes('io')
  const size = hasIo ? await sizeOf(columnStore, { source, where, bytes }, bounds) : 0
  const rows: readonly StoredTrace[] = await read(columnStore, select(source, { ...core, ...(hasIo && io) }, { where }), bounds)
  return { bytes: size, rows: new Map(rows.map(row => [row.id, row])) }
}

interface Of {
  readonly projectId: string
  readonly ids: readonly string[]
  readonly groups: readonly TraceGroup[]
}

async function relatedOf(columnStore: Reads, { projectId, ids, groups }: Of, bounds: Bounds) {
  const traceIds = value('Array(String)', ids)
  const [hasObservations, hasMetrics] = [groups.includes('observations'), groups.includes('metrics')]
  const totals = hasObservations || hasMetrics ? await read(columnStore, totalsOf(projectId, traceIds), bounds) : []
  const ofTrace = new Map(totals.map(row => [row.trace, row]))
  const source = newestScores(projectId, { everyTime: 'Scores of a trace may have any time' }, [sql`${subject.trace.sql} IN ${traceIds}`])
  const fields = { trace: subject.trace, ids: field(sql`arraySort(groupArray(${scores.columns.id.sql}))`, t.tags.decode) }
  const scored = groups.includes('scores') ? await read(columnStore, select(source, fields, { groupBy: [sql`trace`] }), bounds) : []
  const scoresOf = new Map(scored.map(row => [row.trace, row.ids]))
  return (id: string) => ({
    observations: hasObservations ? (ofTrace.get(id)?.ids ?? []) : [],
    scores: scoresOf.get(id) ?? [],
    totalCost: hasMetrics ? (ofTrace.get(id)?.total_cost ?? 0) : -1,
    latencyMs: hasMetrics ? (ofTrace.get(id)?.latency_ms ?? 0) : -1,
  })
}

export interface FoundTrace {
  readonly trace: StoredTrace
  readonly groups: readonly TraceGroup[]
  readonly observations: readonly StoredObservation[]
  readonly scores: readonly StoredScore[]
  /** As in `ListedTrace`. */
  readonly totalCost: number
  readonly latencyMs: number
  /** Size of the long fields. */
  readonly bytes: number
}

/** Returns undefined if the project has no such trace. Throws like `listTraces`. */
export async function findTrace(
  columnStore: Reads,
  { projectId, query: { id: given, fields }, signal }: Asked<{ readonly id: string; readonly fields?: string | undefined }>,
  pricesOf: PricesOf,
): Promise<FoundTrace | undefined> {
  const groups = traceGroupsOf(fields)
  const id = given.toWellFormed()
  const bounds = boundsOf('legacy.trace', 'a trace', signal)
  const found = await rowsAt(columnStore, projectId, { keys: await newestOf(columnStore, projectId, [id], bounds), groups }, bounds)
  const trace = found.rows.get(id)
  if (trace === undefined) return undefined
  const none = { rows: [], bytes: 0 }
  const observations = groups.includes('observations') ? await observationsOfTrace(columnStore, projectId, id, bounds, pricesOf) : none
  const scores = groups.includes('scores') ? await scoresOfTrace(columnStore, projectId, id, bounds) : none
  const metrics = await relatedOf(columnStore, { projectId, ids: [id], groups: groups.filter(group => group === 'metrics') }, bounds)
  const { totalCost, latencyMs } = metrics(id)
  const bytes = found.bytes + observations.bytes + scores.bytes
  return { trace, groups, observations: observations.rows, scores: scores.rows, totalCost, latencyMs, bytes }
}

/** Returns a session's traces, oldest first, with inputs and outputs. Throws like `listTraces`. */
export async function tracesOfSession(columnStore: Reads, project: string, sessionId: string, bounds: Bounds) {
  const source = newestIn(traces, { project, time: { everyTime: 'Traces of a session may have any time' } })
  const where = [sql`${t.session_id.sql} = ${value('String', sessionId)}`]
  const clauses = { where, orderBy: sql`${t.timestamp.sql}, ${t.id.sql}` }
  const size = await sizeOf(columnStore, { source, where, bytes }, bounds)
  return { rows: await read(columnStore, select(source, { ...core, ...io }, clauses), bounds), bytes: size }
}
