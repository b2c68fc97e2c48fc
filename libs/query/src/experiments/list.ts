// GET /api/public/experiments (contract §17.5): groups the spans of a time range by experiment.
import { z } from 'zod'
import { e, eventsCore } from '../fields/events.ts'
import { textsByName } from '../fields/wire.ts'
import { conditionSql } from '../filter/sql.ts'
import { decoded, encode64, listHash, microseconds } from '../newest/cursor.ts'
import { scores } from '../scores/table.ts'
import { scoreView } from '../scores/view.ts'
import { time } from '../sql/decode.ts'
import { field, numberField, type RowOf, textField } from '../sql/field.ts'
import { type Bounds, type Deadline, deadlineIn, type Limits } from '../sql/scope.ts'
import { newestIn, outputs, type Reads, read, rowsOf, select } from '../sql/select.ts'
import { constant, type Sql, sql, value } from '../sql/sql.ts'
import { isoOfMicros } from '../times.ts'
import { asked, column, type PagedQuery } from './query.ts'
import { readScores } from './scores.ts'

export interface ExperimentsQuery extends PagedQuery {
  /** Comma-separated lists. */
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly datasetId?: string | undefined
}

export interface ExperimentsOptions<Query> {
  readonly projectId: string
  readonly query: Query
  readonly signal: AbortSignal | undefined
  readonly deadline?: Deadline
}

const limits: Limits = { rows: 10_000, memoryBytes: 2 ** 29, readBytes: 2 ** 37 }

const rules = {
  groups: ['core', 'metadata', 'scores'],
  usual: ['core'],
  fields: [
    column('id', 'ID', { sql: constant('id') }),
    column('name', 'Name', { sql: constant('name') }),
    column('datasetId', 'Dataset ID', { sql: constant('datasetId') }),
  ],
} as const

const latest = (of: Sql, has: Sql): Sql => sql`argMaxIf(${of}, (${e.start_time.sql}, ${e.span_id.sql}), ${has})`
const latestText = (column: Sql) => textField(latest(column, sql`${column} != ''`))
const micros = (expression: Sql) => field(sql`toUnixTimestamp64Micro(${expression})`, time)

const end = sql`ifNull(max(${e.end_time.sql}), min(${e.start_time.sql}))`
const hasItem = sql`${e.experiment_item_root_span_id.sql} != ''`

const together = {
  id: e.experiment_id,
  name: latestText(e.experiment_name.sql),
  description: latestText(e.experiment_description.sql),
  datasetId: latestText(e.experiment_dataset_id.sql),
  started: micros(sql`min(${e.start_time.sql})`),
  ended: micros(sql`greatest(${end}, min(${e.start_time.sql}))`),
  active: micros(sql`max(${e.start_time.sql})`),
  itemCount: numberField(sql`uniqExactIf((${e.trace_id.sql}, ${e.experiment_item_root_span_id.sql}), ${hasItem})`),
}
const { experiment_metadata_names: names, experiment_metadata_values: values } = e
const metadata = textsByName(latest(names.sql, sql`notEmpty(${names.sql})`), latest(values.sql, sql`notEmpty(${names.sql})`))

interface Position {
  readonly active: bigint
  readonly id: string
}
const cursorShape = z.object({ v: z.literal(1), a: microseconds, i: z.string(), f: z.string() })

function positionOf(cursor: string | undefined, hash: string): Position | undefined {
  if (cursor === undefined || cursor === '') return undefined
  const { a: active, i: id } = decoded(cursor, cursorShape, hash)
  return { active, id: id.toWellFormed() }
}

/** Throws InvalidQuery, a `column_store_*` error, or the abort signal's reason. */
export async function listExperiments(
  columnStore: Reads,
  { projectId, query, signal, deadline = deadlineIn(20, 'a page of experiments') }: ExperimentsOptions<ExperimentsQuery>,
) {
  const { range, groups, limit, scoreLimit, conditions } = asked(
    query,
    { id: query.id, name: query.name, datasetId: query.datasetId },
    rules,
  )
  const hash = listHash([...conditions, range], 'active')
  const after = positionOf(query.cursor, hash)
  const bounds: Bounds = { limits, deadline, signal, comment: 'experiments.list' }
  const source = newestIn(eventsCore, { project: projectId, time: range })
  const ofExperiment = [sql`${e.experiment_id.sql} != ''`]
  const rows = select(
    source,
    { ...together, ...(groups.has('metadata') && { metadata }) },
    { where: ofExperiment, groupBy: [e.experiment_id.sql] },
  )
  const where = conditions.map(condition => conditionSql(condition, { project: projectId, cut: false }))
  if (after !== undefined) where.push(sql`(active, id) < (${value('Int64', after.active)}, ${value('String', after.id)})`)
  const found = await read(
    columnStore,
    select(rowsOf(rows), outputs(rows), { where, orderBy: sql`active DESC, id DESC`, limit: limit + 1 }),
    bounds,
  )
  const page = found.slice(0, limit)
  const scoresOf = groups.has('scores') ? await scoresByExperiment(columnStore, projectId, page, scoreLimit, bounds) : undefined
  const last = page.at(-1)
  const hasMore = found.length > limit && last !== undefined
  return {
    data: page.map(row => ({
      ...{
        id: row.id,
        name: row.name,
        description: row.description || null,
        startTime: isoOfMicros(row.started),
        endTime: isoOfMicros(row.ended),
      },
      ...{ itemCount: row.itemCount, datasetId: row.datasetId || null },
      ...(row.metadata && { metadata: row.metadata }),
      ...(scoresOf && { scores: scoresOf(row.id) }),
    })),
    meta: hasMore ? { cursor: encode64({ v: 1, a: String(last.active), i: last.id, f: hash }) } : {},
  }
}

type Experiment = Pick<RowOf<typeof together>, 'id' | 'active'>

async function scoresByExperiment(columnStore: Reads, project: string, page: readonly Experiment[], limit: number, bounds: Bounds) {
  const experiment = scores.columns.dataset_run_id
  const ids = value(
    'Array(String)',
    page.map(({ id }) => id),
  )
  const where = [sql`ifNull(${experiment.sql}, '') IN ${ids}`]
  const rows = await readScores(columnStore, { project, times: page.map(({ active }) => active), where, by: [experiment], limit }, bounds)
  const byId = Map.groupBy(rows, row => row.dataset_run_id)
  return (id: string) => (byId.get(id) ?? []).map(row => scoreView(row, project, ['core', 'subject']))
}
