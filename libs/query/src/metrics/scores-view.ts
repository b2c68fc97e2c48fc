// Views of scores. A row is a score, joined with its trace and its observation.
import { e, eventsCore } from '../fields/events.ts'
import * as of from '../fields/expressions.ts'
import { conditionSql } from '../filter/sql.ts'
import { newestScores, subject } from '../scores/named.ts'
import { scores } from '../scores/table.ts'
import { type Fields, field } from '../sql/field.ts'
import { newestIn, select } from '../sql/select.ts'
import { type Sql, sql, value } from '../sql/sql.ts'
import { count, type Dimension, type Join, type Measure, type RowsOf, type View } from './view.ts'

const { columns } = scores
const { timestamp } = columns

const textOf = (column: { readonly sql: Sql }): Sql => sql`ifNull(${column.sql}, '')`
const text = (name: string, column: { readonly sql: Sql }): Dimension => ({ name, kind: 'text', sql: textOf(column) })
const high = (name: string, column: { readonly sql: Sql }): Dimension => ({ ...text(name, column), high: true })
const joined = (join: Join, name: string, expression: Sql, kind: Dimension['kind'] = 'text'): Dimension => ({
  name,
  kind,
  sql: expression,
  join,
})
const formatted = (name: string, format: 'month' | 'day'): Dimension => ({
  ...{ name, kind: 'text' },
  sql:
    format === 'month' ? sql`formatDateTime(${timestamp.sql}, '%Y-%m', 'UTC')` : sql`formatDateTime(${timestamp.sql}, '%Y-%m-%d', 'UTC')`,
})

const dimensions: readonly Dimension[] = [
  text('environment', columns.environment),
  text('name', columns.name),
  text('source', columns.source),
  text('dataType', columns.data_type),
  text('configId', columns.config_id),
  formatted('timestampMonth', 'month'),
  formatted('timestampDay', 'day'),
  joined('trace', 'traceName', sql`r.trace_name`),
  joined('trace', 'tags', sql`r.tags`, 'list'),
  joined('trace', 'traceRelease', sql`r.release`),
  joined('trace', 'traceVersion', sql`r.version`),
  joined('observation', 'observationName', sql`o.name`),
  joined('observation', 'observationModelName', sql`o.model`),
  joined('observation', 'observationPromptName', sql`o.prompt_name`),
  joined('observation', 'observationPromptVersion', sql`o.prompt_version`, 'number'),
  high('id', columns.id),
  high('traceId', columns.trace_id),
  { ...joined('trace', 'userId', sql`r.user_id`), high: true },
  high('sessionId', columns.session_id),
  high('observationId', columns.observation_id),
  high('datasetRunId', columns.dataset_run_id),
  { ...joined('observation', 'experimentName', sql`o.experiment_name`), high: true },
  { ...joined('observation', 'experimentId', sql`o.experiment_id`), high: true },
  { name: 'evaluatorId', kind: 'text', sql: sql`${columns.metadata.sql}['evaluator_id']`, high: true },
]

const valueMeasure: Measure = { name: 'value', numeric: true, sql: columns.value.sql }

/** Selects the roots of traces. If several rows of a trace have no parent, the row that started first is the root. */
function roots(project: string, ids: Sql) {
  const scope = { project, time: { everyTime: 'A trace is counted at any time' } }
  const first = (column: Sql) => field(sql`argMin(${column}, (${e.start_time.sql}, ${e.span_id.sql}))`, String)
  const fields = {
    trace: field(e.trace_id.sql, String),
    ...{ trace_name: first(of.traceName), user_id: first(e.user_id.sql), tags: first(e.tags.sql) },
    ...{ release: first(e.release.sql), version: first(e.version.sql) },
  }
  const where = [sql`${e.parent_span_id.sql} = ''`, sql`${e.trace_id.sql} IN (${ids})`]
  return select(newestIn(eventsCore, scope), fields, { where, groupBy: [sql`trace`] })
}

function observations(project: string, ids: Sql) {
  const scope = { project, time: { everyTime: 'An observation is counted at any time' } }
  const first = (column: Sql) => field(sql`argMin(${column}, ${e.start_time.sql})`, String)
  const fields: Fields = {
    ...{ trace: field(e.trace_id.sql, String), observation: field(e.span_id.sql, String) },
    ...{ name: first(e.name.sql), model: first(sql`toString(${e.provided_model_name.sql})`), prompt_name: first(e.prompt_name.sql) },
    // `argMin` would skip a null. The version, which can be null, is therefore wrapped in a tuple.
    prompt_version: first(sql`tuple(${e.prompt_version.sql})`),
    ...{ experiment_name: first(e.experiment_name.sql), experiment_id: first(e.experiment_id.sql) },
  }
  const where = [sql`(${e.trace_id.sql}, ${e.span_id.sql}) IN (${ids})`]
  const rows = select(newestIn(eventsCore, scope), fields, { where, groupBy: [sql`trace`, sql`observation`] })
  return sql`SELECT * REPLACE (prompt_version.1 AS prompt_version) FROM (${rows.sql})`
}

function scoresView(types: readonly string[], own: readonly Dimension[], measures: readonly Measure[]): View {
  return {
    dimensions: [...dimensions, ...own],
    measures: [count, ...measures],
    time: { column: 'timestamp', sql: timestamp.sql, us: timestamp.selected },
    metadata: {
      kind: 'metadata',
      id: 'metadata',
      label: 'Metadata',
      of: 'score',
      cost: 'scan',
      help: 'Key: the name of a metadata entry of the score.',
    },
    metadataText: key => sql`${columns.metadata.sql}[${value('String', key)}]`,
    source: rows => scoreRows(types, rows),
  }
}

function scoreRows(types: readonly string[], { project, from, to, joins, conditions, where }: RowsOf) {
  const source = newestScores(project, { from, to }, [sql`${columns.data_type.sql} IN ${value('Array(String)', types)}`])
  const traces = select(source, { trace: subject.trace }).sql
  const pairs = select(source, subject).sql
  const trace = sql` LEFT JOIN (${roots(project, traces).sql}) AS r ON r.trace = ${subject.trace.sql}`
  const observation = sql` LEFT JOIN (${observations(project, pairs)}) AS o ON o.trace = ${subject.trace.sql} AND o.observation = ${subject.observation.sql}`
  return {
    from: sql`${source.from}${joins.has('trace') ? trace : sql``}${joins.has('observation') ? observation : sql``}`,
    conditions: [...source.conditions, ...conditions.map(condition => conditionSql(condition, { project, cut: false })), ...where],
  }
}

export const numericScores = scoresView(['NUMERIC', 'BOOLEAN'], [{ name: 'value', kind: 'number', sql: columns.value.sql }], [valueMeasure])
export const booleanScores = scoresView(
  ['BOOLEAN'],
  [{ name: 'booleanValue', kind: 'boolean', sql: sql`(${columns.value.sql} = 1)` }],
  [valueMeasure],
)
export const categoricalScores = scoresView(['CATEGORICAL'], [{ name: 'stringValue', kind: 'text', sql: textOf(columns.string_value) }], [])
