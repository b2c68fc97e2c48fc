// Counts rows by field value. The filter bar of the web app suggests these values while the user types. The web app also uses the counts to
// compare a part of a time range with the rest.
import { e } from '../fields/events.ts'
import { traceName } from '../fields/expressions.ts'
import { newestScores, subject } from '../scores/named.ts'
import { scores } from '../scores/table.ts'
import { numberField, textField } from '../sql/field.ts'
import { type Bounds, deadlineIn, type Limits } from '../sql/scope.ts'
import { newestIn, type Reads, read, select, timeValue } from '../sql/select.ts'
import { all, constant, join, type Sql, sql, value } from '../sql/sql.ts'
import { checkedMicrosOf } from '../times.ts'
import { type ListOptions, listingOf } from './list.ts'
import { type PricesOf, withoutPrices } from './prices.ts'
import { conditionsOf, type ObservationsQuery, rangeOf } from './query.ts'

const one = (text: Sql): Sql => sql`[toString(${text})]`

/** Each expression returns a row's values as a list of texts. */
const facetSql = {
  name: one(e.name.sql),
  type: one(e.type.sql),
  level: one(e.level.sql),
  statusMessage: one(sql`leftUTF8(${e.status_message.sql}, 200)`),
  model: one(e.provided_model_name.sql),
  environment: one(e.environment.sql),
  release: one(e.release.sql),
  version: one(e.version.sql),
  traceName: one(traceName),
  promptName: one(e.prompt_name.sql),
  promptVersion: one(sql`ifNull(toString(${e.prompt_version.sql}), '')`),
  userId: one(e.user_id.sql),
  sessionId: one(e.session_id.sql),
  traceTags: sql`arrayMap(x -> toString(x), ${e.tags.sql})`,
  metadata: sql`arrayMap(x -> toString(x), ${e.metadata_names.sql})`,
} as const satisfies Readonly<Record<string, Sql>>

type RowField = keyof typeof facetSql
type FacetField = RowField | 'score' | 'traceScore'

export interface FacetsQuery extends Pick<ObservationsQuery, 'filter' | 'fromStartTime' | 'toStartTime'> {
  /** The fields `score` and `traceScore` list the names of scores. */
  readonly fields: readonly FacetField[]
  readonly limit: number
  /** Ignores case. */
  readonly contains?: string | undefined
  /**
   * Start and end of a part of the time range. In addition to the rows of the whole range, the query counts the rows of this part. The list
   * begins with the values whose share in the part differs most from their share in the rest.
   */
  readonly partFrom?: string | undefined
  readonly partTo?: string | undefined
}

export interface Facets {
  readonly rows: number
  readonly partRows: number
  readonly facets: readonly {
    readonly field: FacetField
    readonly values: readonly { readonly value: string; readonly count: number; readonly partCount: number }[]
  }[]
}

/**
 * The column store keeps a group in memory for each value of the field. With these limits, a query on a field with a million values fails
 * before it uses up the column store's memory.
 */
const limits: Limits = { rows: 2_000, memoryBytes: 2 ** 29, readBytes: 2 ** 36 }

function partOf({ partFrom, partTo }: Pick<FacetsQuery, 'partFrom' | 'partTo'>): Sql {
  const bounds = [
    ...(partFrom === undefined ? [] : [sql`${e.start_time.sql} >= ${timeValue(checkedMicrosOf(partFrom), 'Micro')}`]),
    ...(partTo === undefined ? [] : [sql`${e.start_time.sql} < ${timeValue(checkedMicrosOf(partTo), 'Micro')}`]),
  ]
  return bounds.length === 0 ? sql`0` : all(bounds)
}

const containing = (text: Sql, contains: string | undefined): readonly Sql[] =>
  contains === undefined ? [] : [sql`positionCaseInsensitiveUTF8(${text}, ${value('String', contains)}) > 0`]

interface ScoreNames {
  readonly name: 'score' | 'traceScore'
  readonly query: FacetsQuery
  readonly projectId: string
  readonly bounds: Bounds
}

/** For each score name, counts the scores in the time range. The query's filter on observations is ignored. */
async function scoreNames(columnStore: Reads, { name, query, projectId: project, bounds }: ScoreNames): Promise<Facets['facets'][number]> {
  const { contains, limit, fromStartTime, toStartTime } = query
  const ofTrace = name === 'traceScore'
  const where = [
    sql`${subject.trace.sql} != ''`,
    ofTrace ? sql`${subject.observation.sql} = ''` : sql`${subject.observation.sql} != ''`,
    ...containing(scores.columns.name.sql, contains),
  ]
  const source = newestScores(project, rangeOf(conditionsOf({ fromStartTime, toStartTime })), where)
  const fields = { value: scores.columns.name, count: numberField(sql`count()`) }
  const found = await read(columnStore, select(source, fields, { groupBy: [sql`value`], orderBy: sql`count DESC, value`, limit }), bounds)
  return { field: name, values: found.map(each => ({ ...each, partCount: 0 })) }
}

/** Throws InvalidQuery, a `column_store_*` error, or the abort signal's reason. */
export async function readFacets(
  columnStore: Reads,
  { projectId, query, signal, deadline = deadlineIn(15, 'values with counts') }: ListOptions<FacetsQuery>,
  pricesOf: PricesOf,
): Promise<Facets> {
  const { fields: asked, limit: ofEach, contains, partFrom, partTo, ...filtered } = query
  const given = conditionsOf(filtered)
  const bounds: Bounds = { limits, deadline, signal, comment: 'observations.facets' }
  const scope = { project: projectId, time: rangeOf(given) }
  const conditions = await withoutPrices(columnStore, { conditions: given, scope, bounds }, pricesOf)
  const { show } = listingOf(projectId, conditions, { fields: {}, isWhole: false, size: sql`0` })
  const source = newestIn(show.table, scope)
  const part = partOf({ partFrom, partTo })
  const totals = { rows: numberField(sql`count()`), partRows: numberField(sql`countIf(${part})`) }
  const [total = { rows: 0, partRows: 0 }] = await read(columnStore, select(source, totals, { where: show.where }), bounds)
  const { rows, partRows } = total
  const ofScores = asked.filter(name => name === 'score' || name === 'traceScore')
  const ofRows = asked.filter(name => name !== 'score' && name !== 'traceScore')
  const facetsOfScores = await Promise.all(ofScores.map(name => scoreNames(columnStore, { name, query, projectId, bounds })))
  if (rows === 0 || ofRows.length === 0) return { rows, partRows, facets: facetsOfScores }

  const names = ofRows.map(name => sql`'${constant(name)}'`)
  const values = ofRows.map(name => facetSql[name])
  const pair = sql`arrayJoin(arrayFlatten(arrayMap((f, vs) -> arrayMap(v -> (f, v), arrayDistinct(vs)), [${join(names, ', ')}], [${join(values, ', ')}])))`
  const fields = {
    field: textField(sql`tupleElement(pair, 1)`),
    value: textField(sql`tupleElement(pair, 2)`),
    all: numberField(sql`count()`),
    part: numberField(sql`sum(isOfPart)`),
  }
  const pairs = select(source, { pair: textField(pair), isOfPart: numberField(sql`toUInt8(${part})`) }, { where: show.where })
  const difference = sql`abs(part / ${value('Float64', partRows)} - (all - part) / ${value('Float64', Math.max(1, rows - partRows))})`
  const found = await read(
    columnStore,
    select({ from: sql`(${pairs.sql})`, conditions: [] }, fields, {
      where: [sql`tupleElement(pair, 2) != ''`, ...containing(sql`tupleElement(pair, 2)`, contains)],
      groupBy: [sql`field`, sql`value`],
      orderBy: partRows === 0 ? sql`all DESC, value` : sql`${difference} DESC, all DESC, value`,
      firstOf: sql`field`,
      ofEach,
    }),
    bounds,
  )
  const facets = ofRows.map(field => ({
    field,
    values: found.flatMap(each => (each.field === field ? [{ value: each.value, count: each.all, partCount: each.part }] : [])),
  }))
  return { rows, partRows, facets: [...facets, ...facetsOfScores] }
}
