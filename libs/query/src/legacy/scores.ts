// The queries for GET /api/public/scores and /v2/scores (contract §20.6).
import { newestScores } from '../scores/named.ts'
import { bytesOf as bytesOfScore, groups, rowKey, scores } from '../scores/table.ts'
import { type Field, millis, type RowOf, textField } from '../sql/field.ts'
import type { Bounds, TimeRange } from '../sql/scope.ts'
import { type Reads, read, type Source, select } from '../sql/select.ts'
import { all, constant, type Sql, sql, value } from '../sql/sql.ts'
import { checkedMicrosOf } from '../times.ts'
import { type Asked, boundsOf } from './bounds.ts'
import { column, columnsOf, conditionsOf, legacySql, metadataColumn, wellFormed } from './conditions.ts'
import { attributesOfTraces } from './observation-columns.ts'
import { keysOfPage, type PageAsked, type PageMeta, sizeOf } from './page.ts'
import { orEmpty } from './tables.ts'

const { columns } = scores

export type ScoresVersion = 'v1' | 'v2'

export interface LegacyScoresQuery extends PageAsked {
  readonly userId?: string | undefined
  readonly name?: string | undefined
  /** ISO 8601, checked. */
  readonly fromTimestamp?: string | undefined
  readonly toTimestamp?: string | undefined
  readonly environment?: readonly string[] | undefined
  readonly source?: string | undefined
  /** A request has both operator and value, or neither. */
  readonly operator?: '<' | '>' | '<=' | '>=' | '!=' | '=' | undefined
  readonly value?: number | undefined
  readonly scoreIds?: readonly string[] | undefined
  readonly configId?: string | undefined
  readonly queueId?: string | undefined
  readonly dataType?: string | undefined
  readonly traceTags?: readonly string[] | undefined
  readonly sessionId?: string | undefined
  readonly datasetRunId?: string | undefined
  readonly traceId?: string | undefined
  readonly observationId?: readonly string[] | undefined
  readonly withoutTrace?: boolean
  readonly filter?: string | undefined
}

const stored = {
  ...groups.core,
  ...groups.details,
  ...groups.annotation,
  ...groups.subject,
  ...{ id: columns.id, project_id: columns.project_id, at_ms: millis(columns.timestamp), execution_trace_id: columns.execution_trace_id },
}
const ofTrace = {
  ...{ user_id: textField(sql`r.user_id`), session: textField(sql`r.session_id`), trace_environment: textField(sql`r.environment`) },
  ...{ tags: { sql: sql`r.tags`, selected: sql`r.tags`, decode: strings }, has_trace: textField(sql`r.id`) },
}

function strings(json: unknown): readonly string[] {
  return Array.isArray(json) ? json.map(String) : []
}

/**
 * `metadata` is JSON text: an object whose values are texts. The trace's fields are absent if the trace was not read. The fields are empty
 * if the score has no trace.
 */
export type StoredScore = RowOf<typeof stored> & Partial<RowOf<typeof ofTrace>>

export interface LegacyScoreRows {
  readonly rows: readonly StoredScore[]
  /** Size of the long fields. */
  readonly bytes: number
}

export interface LegacyScoresPage extends LegacyScoreRows {
  readonly meta: PageMeta
}

const filterColumns = columnsOf([
  column('text', 'id', columns.id.sql, 'ID'),
  column('text', 'name', columns.name.sql, 'Name'),
  column('time', 'timestamp', columns.timestamp.sql, 'Timestamp'),
  column('text', 'environment', columns.environment.sql, 'Environment'),
  column('text', 'source', columns.source.sql, 'Source'),
  column('text', 'dataType', columns.data_type.sql, 'Data Type'),
  column('number', 'value', columns.value.sql, 'Value'),
  column('text', 'stringValue', orEmpty(columns.string_value), 'String Value'),
  column('text', 'comment', orEmpty(columns.comment), 'Comment'),
  column('text', 'configId', orEmpty(columns.config_id), 'Config ID'),
  column('text', 'queueId', orEmpty(columns.queue_id), 'Queue ID'),
  column('text', 'authorUserId', orEmpty(columns.author_user_id), 'Author User ID'),
  column('text', 'traceId', orEmpty(columns.trace_id), 'Trace ID'),
  column('text', 'observationId', orEmpty(columns.observation_id), 'Observation ID'),
  column('text', 'sessionId', orEmpty(columns.session_id), 'Session ID'),
  column('text', 'datasetRunId', orEmpty(columns.dataset_run_id), 'Dataset Run ID'),
  metadataColumn,
])

const within = (column: Field<unknown>, values: readonly string[]): Sql =>
  sql`${column.sql} IN ${value('Array(String)', wellFormed(values))}`

/** v1 returns only scores of traces and observations, and no corrections. */
const covered: Readonly<Record<ScoresVersion, readonly Sql[]>> = {
  v1: [sql`${orEmpty(columns.trace_id)} != ''`, sql`${columns.data_type.sql} != 'CORRECTION'`],
  v2: [],
}

const isKnown = sql`${columns.data_type.sql} IN ('NUMERIC', 'BOOLEAN', 'CATEGORICAL', 'TEXT', 'CORRECTION')`

function ownConditions(project: string, version: ScoresVersion, query: LegacyScoresQuery): readonly Sql[] {
  const { operator, value: than, scoreIds, observationId } = query
  const { name, source, configId, queueId, dataType, sessionId, datasetRunId, traceId, environment } = query
  const simple = {
    equal: { name, source, configId, queueId, dataType, sessionId, datasetRunId, traceId },
    ...{ anyOf: { environment }, time: { id: 'timestamp', from: query.fromTimestamp, to: query.toTimestamp } },
  }
  const reading = { project, metadata: columns.metadata.sql, trace: columns.trace_id.sql }
  return [
    ...covered[version],
    isKnown,
    ...conditionsOf(filterColumns, simple, query.filter).map(condition => legacySql(condition, reading)),
    ...(operator === undefined || than === undefined ? [] : [sql`${columns.value.sql} ${constant(operator)} ${value('Float64', than)}`]),
    ...(scoreIds === undefined ? [] : [within(columns.id, scoreIds)]),
    ...(observationId === undefined ? [] : [within(columns.observation_id, observationId)]),
  ]
}

function rangeOf({ fromTimestamp, toTimestamp, filter }: LegacyScoresQuery): TimeRange {
  const everyTime = { everyTime: 'A list without a range is a list of all times' }
  if (filter !== undefined && filter !== '') return everyTime
  const to = toTimestamp === undefined ? undefined : checkedMicrosOf(toTimestamp)
  if (fromTimestamp !== undefined) return { from: checkedMicrosOf(fromTimestamp), to }
  return to === undefined ? everyTime : { to }
}

const withTraces = (source: Source, project: string): Source => ({
  ...source,
  from: sql`${source.from} LEFT JOIN (${attributesOfTraces(project).sql}) AS r ON r.id = ${orEmpty(columns.trace_id)}`,
})

/** Throws InvalidQuery, `response_too_large`, a `column_store_*` error, or the abort signal's reason. */
export async function listLegacyScores(
  columnStore: Reads,
  { projectId, query, signal }: Asked<LegacyScoresQuery>,
  version: ScoresVersion,
): Promise<LegacyScoresPage> {
  const bounds = boundsOf('legacy.scores', 'a page of scores', signal)
  const { userId, traceTags } = query
  const newest = newestScores(projectId, rangeOf(query), ownConditions(projectId, version, query))
  const where = [
    ...(userId === undefined ? [] : [sql`r.user_id = ${value('String', userId.toWellFormed())}`]),
    ...(traceTags === undefined ? [] : [sql`hasAll(r.tags, ${value('Array(String)', wellFormed(traceTags))})`]),
  ]
  const source = where.length === 0 ? newest : withTraces(newest, projectId)
  const orderBy = sql`${columns.timestamp.sql} DESC, ${columns.id.sql}`
  const { keys, meta } = await keysOfPage(columnStore, { source, where, key: rowKey, orderBy }, query, bounds)
  if (keys.length === 0) return { rows: [], bytes: 0, meta }
  const found = await rowsOf(
    columnStore,
    projectId,
    within(
      columns.id,
      keys.map(({ id }) => id),
    ),
    bounds,
    query.withoutTrace === true,
  )
  return { ...found, meta }
}

async function rowsOf(columnStore: Reads, project: string, where: Sql, bounds: Bounds, withoutTrace: boolean): Promise<LegacyScoreRows> {
  const source = newestScores(project, { everyTime: 'Scores that are named have any time' }, [where])
  const bytes = await sizeOf(columnStore, { source, where: [], bytes: bytesOfScore(['details']) }, bounds)
  const orderBy = sql`${columns.timestamp.sql} DESC, ${columns.id.sql}`
  const rows: readonly StoredScore[] = withoutTrace
    ? await read(columnStore, select(source, stored, { orderBy }), bounds)
    : await read(columnStore, select(withTraces(source, project), { ...stored, ...ofTrace }, { orderBy }), bounds)
  return { rows, bytes }
}

export async function findLegacyScore(
  columnStore: Reads,
  { projectId, query: id, signal }: Asked<string>,
  version: ScoresVersion,
): Promise<LegacyScoreRows | undefined> {
  const bounds = boundsOf('legacy.score', 'a score', signal)
  const where = all([sql`${columns.id.sql} = ${value('String', id.toWellFormed())}`, ...covered[version]])
  const found = await rowsOf(columnStore, projectId, where, bounds, true)
  return found.rows.length === 0 ? undefined : found
}

export const scoresOfTrace = (columnStore: Reads, project: string, traceId: string, bounds: Bounds): Promise<LegacyScoreRows> =>
  rowsOf(columnStore, project, all([sql`${columns.trace_id.sql} = ${value('String', traceId)}`, ...covered.v1]), bounds, true)
