// GET /api/public/experiment-items (contract §17.5) returns the root spans of experiment items.
import { type EventKey, e, eventKey, eventsCore, eventsFull } from '../fields/events.ts'
import { iso, isoOrNull, level, metadata, orNull, textsByName } from '../fields/wire.ts'
import { conditionSql } from '../filter/sql.ts'
import { badRequest } from '../invalid-query.ts'
import { decodeCursor, encodeCursor, listHash } from '../newest/cursor.ts'
import { type Listing, newestPage } from '../newest/page.ts'
import { newestStream } from '../newest/stream.ts'
import { subject } from '../scores/named.ts'
import type { ScoreRow } from '../scores/read.ts'
import { scores } from '../scores/table.ts'
import { scoreView } from '../scores/view.ts'
import { type Bounds, deadlineIn, type Limits } from '../sql/scope.ts'
import type { Reads, Writes } from '../sql/select.ts'
import { sql, value } from '../sql/sql.ts'
import { type Piece, streamFormat } from '../stream/format.ts'
import { limitOf, type StreamRequest } from '../stream/request.ts'
import type { ExperimentsOptions } from './list.ts'
import { type Asked, asked, column, type PagedQuery } from './query.ts'
import { readScores } from './scores.ts'

export interface ExperimentItemsQuery extends PagedQuery {
  /** Comma-separated lists. */
  readonly experimentId?: string | undefined
  readonly experimentName?: string | undefined
  readonly experimentItemId?: string | undefined
  readonly datasetId?: string | undefined
}

const limits: Limits = { rows: 20_000, memoryBytes: 2 ** 29, readBytes: 2 ** 37 }

const rules = {
  groups: ['core', 'dataset', 'io', 'metadata', 'itemMetadata', 'experimentMetadata', 'scores'],
  usual: ['core', 'dataset'],
  fields: [
    column('experimentId', 'Experiment ID', e.experiment_id),
    column('experimentName', 'Experiment Name', e.experiment_name),
    column('experimentItemId', 'Experiment Item ID', e.experiment_item_id),
    column('datasetId', 'Dataset ID', e.experiment_dataset_id),
  ],
} as const
type Group = (typeof rules.groups)[number]

const core = {
  id: e.span_id,
  traceId: e.trace_id,
  startTime: iso(e.start_time),
  endTime: isoOrNull(e.end_time),
  level: level(e.level),
  environment: e.environment,
  experimentId: e.experiment_id,
  experimentName: e.experiment_name,
  experimentItemId: e.experiment_item_id,
}

const fieldsOf = (groups: ReadonlySet<Group>) => ({
  ...core,
  ...(groups.has('dataset') && {
    experimentDatasetId: orNull(e.experiment_dataset_id),
    experimentItemVersion: isoOrNull(e.experiment_item_version),
  }),
  ...(groups.has('io') && { input: orNull(e.input), output: orNull(e.output), expectedOutput: orNull(e.experiment_item_expected_output) }),
  ...(groups.has('metadata') && { metadata }),
  ...(groups.has('itemMetadata') && {
    experimentItemMetadata: textsByName(e.experiment_item_metadata_names.sql, e.experiment_item_metadata_values.sql),
  }),
  ...(groups.has('experimentMetadata') && {
    experimentMetadata: textsByName(e.experiment_metadata_names.sql, e.experiment_metadata_values.sql),
    experimentDescription: orNull(e.experiment_description),
  }),
})

const size = sql`500 + ${e.input_length.sql} + ${e.output_length.sql} + length(${e.experiment_item_expected_output.sql})
  + arraySum(text -> length(text), arrayConcat(${e.metadata_values.sql}, ${e.experiment_item_metadata_values.sql}, ${e.experiment_metadata_values.sql}))`

/** Throws InvalidQuery, a `column_store_*` error, or the abort signal's reason. */
export async function listExperimentItems(
  columnStore: Reads,
  { projectId, query, signal, deadline = deadlineIn(20, 'a page of experiment items') }: ExperimentsOptions<ExperimentItemsQuery>,
) {
  const { experimentId, experimentName, experimentItemId, datasetId } = query
  const { range, groups, limit, scoreLimit, conditions } = asked(
    query,
    { experimentId, experimentName, experimentItemId, datasetId },
    rules,
  )
  const hash = listHash([...conditions, range], 'startTime')
  const after = decodeCursor(query.cursor, hash)
  const bounds: Bounds = { limits, deadline, signal, comment: 'experiments.items' }
  const { show, ...listing } = listingOf(projectId, { range, groups, conditions })
  const keyed = { ...listing, show: { ...show, fields: { ...show.fields, ...eventKey } } }
  const { rows, next } = await newestPage(columnStore, keyed, { limit, after, bounds })
  const scoresOf = groups.has('scores') ? await scoresByItem(columnStore, projectId, rows, scoreLimit, bounds) : undefined
  return {
    data: rows.map(({ start_us: _, trace_hash: __, span: ___, ...row }) => ({ ...row, ...(scoresOf && { scores: scoresOf(row) }) })),
    meta: next === undefined ? {} : { cursor: encodeCursor(next, hash) },
  }
}

function listingOf(project: string, { range, groups, conditions }: Pick<Asked<Group>, 'range' | 'groups' | 'conditions'>) {
  const where = [
    sql`${e.experiment_id.sql} != ''`,
    sql`${e.experiment_item_root_span_id.sql} = ${e.span_id.sql}`,
    ...conditions.map(condition => conditionSql(condition, { project, cut: false })),
  ]
  const isWhole = groups.has('io') || groups.has('metadata')
  return {
    scope: { project, time: range },
    find: { table: eventsCore, where },
    show: { table: isWhole ? eventsFull : eventsCore, where, fields: fieldsOf(groups) },
    size,
  } satisfies Listing<ReturnType<typeof fieldsOf>>
}

/** Streams every row that matches the filter. Throws InvalidQuery. Scores cannot be selected here, because only pages return scores. */
export function streamExperimentItems(
  columnStore: Writes,
  { projectId, query, type, signal, turn }: StreamRequest<ExperimentItemsQuery>,
): AsyncGenerator<Piece, void, undefined> {
  const limit = limitOf(query)
  const { experimentId, experimentName, experimentItemId, datasetId } = query
  const { limit: _, ...filter } = query
  const { range, groups, conditions } = asked(filter, { experimentId, experimentName, experimentItemId, datasetId }, rules)
  if (groups.has('scores'))
    throw badRequest('This format cannot contain scores. Remove `scores` from the parameter `fields`, or request pages as JSON.')
  const bounds = (): Bounds => ({
    ...{ limits, signal, comment: 'experiments.itemsStream' },
    deadline: deadlineIn(30, 'a slice of a stream of experiment items'),
  })
  return newestStream(columnStore, listingOf(projectId, { range, groups, conditions }), { format: streamFormat(type), limit, bounds, turn })
}

interface Item extends Pick<EventKey, 'start_us'> {
  readonly id: string
  readonly traceId: string
}

/** Finds the scores of each item: the scores of its root span, and the scores of its trace that refer to no observation. */
async function scoresByItem(columnStore: Reads, project: string, items: readonly Item[], limit: number, bounds: Bounds) {
  const traces = value('Array(String)', [...new Set(items.map(({ traceId }) => traceId))])
  const spans = value('Array(String)', ['', ...items.map(({ id }) => id)])
  const where = [
    sql`${subject.trace.sql} IN ${traces}`,
    sql`${subject.observation.sql} IN ${spans}`,
    sql`ifNull(${scores.columns.dataset_run_id.sql}, '') = ''`,
  ]
  const by = [subject.trace, subject.observation]
  const rows = await readScores(columnStore, { project, times: items.map(item => item.start_us), where, by, limit }, bounds)
  const bySubject = Map.groupBy(rows, row => JSON.stringify([row.trace_id, row.observation_id || '']))
  const of = (trace: string, span: string) => bySubject.get(JSON.stringify([trace, span])) ?? []
  return ({ id, traceId }: Omit<Item, 'start_us'>) =>
    [...of(traceId, id), ...of(traceId, '')]
      .sort(newestFirst)
      .slice(0, limit)
      .map(row => scoreView(row, project, ['core', 'subject']))
}

/** Orders scores from newest to oldest. Scores of the same time are ordered by the bytes of their ids, as in the column store. */
const newestFirst = (a: ScoreRow, b: ScoreRow): number =>
  b.timestamp_ms - a.timestamp_ms || Buffer.compare(Buffer.from(b.id), Buffer.from(a.id))
