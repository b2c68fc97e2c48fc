// Conditions on the v3 tables, from filters and from request parameters.

import type { FilterField, MetadataField, ScoreField, TextField } from '../fields/kinds.ts'
import type { Condition } from '../filter/condition.ts'
import { readFilter } from '../filter/read.ts'
import { type FilterColumns, filterColumns } from '../filter/resolve.ts'
import { conditionSql } from '../filter/sql.ts'
import { badRequest } from '../invalid-query.ts'
import { scoresNamed, subject } from '../scores/named.ts'
import { scores } from '../scores/table.ts'
import { field } from '../sql/field.ts'
import type { TimeRange } from '../sql/scope.ts'
import { select } from '../sql/select.ts'
import { all, type Sql, sql, value } from '../sql/sql.ts'
import { checkedMicrosOf } from '../times.ts'

function notInMemory(): never {
  throw new TypeError('The fields of old tables exist only in the column store')
}

type Kind = 'text' | 'number' | 'time' | 'boolean' | 'list'

/** `label` and `also` are additional names that filters accept. */
export function column(kind: Kind, id: string, expression: Sql, ...[label = id, ...also]: readonly string[]): FilterField {
  return { kind, id, label, also, cost: 'scan', help: '', sql: expression, of: notInMemory }
}

export const metadataColumn: MetadataField = { kind: 'metadata', id: 'metadata', label: 'Metadata', of: 'event', cost: 'scan', help: '' }

const scoreColumn = (kind: ScoreField['kind'], id: string, label: string, ...also: readonly string[]): ScoreField => ({
  ...{ kind, id, label, also, of: 'trace', cost: 'scan', help: '' },
})

/** A filter on one of these fields considers every score of a trace, including the scores of the trace's observations. */
export const scoreColumns: readonly ScoreField[] = [
  scoreColumn('scoreAverage', 'scores_avg', 'Scores (numeric)', 'scores', 'Scores'),
  scoreColumn('scoreCategories', 'score_categories', 'Scores (categorical)'),
  scoreColumn('scoreBooleans', 'score_booleans', 'Scores (boolean)'),
]

/** Parameter values by column id. An empty list or a missing value adds no condition. */
export interface Simple {
  readonly equal: Readonly<Record<string, string | undefined>>
  readonly anyOf?: Readonly<Record<string, readonly string[] | undefined>>
  readonly allOf?: Readonly<Record<string, readonly string[] | undefined>>
  readonly time: { readonly id: string; readonly from: string | undefined; readonly to: string | undefined }
}

export interface Columns {
  readonly named: FilterColumns
  readonly byId: ReadonlyMap<string, FilterField>
}

export const columnsOf = (fields: readonly FilterField[]): Columns => ({
  named: filterColumns(fields),
  byId: new Map(fields.map(each => [each.id, each])),
})

/** A filter condition replaces the parameter for the same column. Throws InvalidQuery. */
export function conditionsOf(columns: Columns, simple: Simple, filter: string | undefined): readonly Condition[] {
  const filtered = readFilter(filter, columns.named)
  for (const condition of filtered) {
    const isTextOnly = condition.is === 'metadataText' && condition.operator === 'matches'
    if (condition.is === 'set' || isTextOnly) throw badRequest(`The column ${condition.field.id} does not support this operator here.`)
  }
  const taken = new Set(filtered.map(({ field: { id } }) => id))
  return [...simpleConditions(columns, simple).filter(({ field: { id } }) => !taken.has(id)), ...filtered]
}

function simpleConditions({ byId }: Columns, { equal, anyOf = {}, allOf = {}, time }: Simple): readonly Condition[] {
  const found: Condition[] = []
  for (const [id, text] of Object.entries(equal)) {
    const of = byId.get(id)
    if (text !== undefined && of?.kind === 'text') found.push({ is: 'text', field: of, operator: '=', value: text.toWellFormed() })
  }
  for (const [id, texts] of Object.entries(anyOf)) {
    const of = byId.get(id)
    if (texts !== undefined && of?.kind === 'text') found.push({ is: 'options', field: of, operator: 'any of', values: wellFormed(texts) })
  }
  for (const [id, texts] of Object.entries(allOf)) {
    const of = byId.get(id)
    if (texts !== undefined && of?.kind === 'list') found.push({ is: 'list', field: of, operator: 'all of', values: wellFormed(texts) })
  }
  const at = byId.get(time.id)
  if (at?.kind !== 'time') return found
  if (time.from !== undefined) found.push({ is: 'time', field: at, operator: '>=', value: checkedMicrosOf(time.from) })
  if (time.to !== undefined) found.push({ is: 'time', field: at, operator: '<', value: checkedMicrosOf(time.to) })
  return found
}

export const wellFormed = (texts: readonly string[]): readonly string[] => texts.map(text => text.toWellFormed())

export function rangeOf(conditions: readonly Condition[], id: string): TimeRange {
  let from: bigint | undefined
  let to: bigint | undefined
  for (const condition of conditions) {
    if (condition.is !== 'time' || condition.field.id !== id) continue
    const { operator, value: at } = condition
    const bound = operator === '>' || operator === '<=' ? at + 1n : at
    if (operator === '>' || operator === '>=') from = from === undefined || bound > from ? bound : from
    else to = to === undefined || bound < to ? bound : to
  }
  if (from !== undefined) return { from, to }
  return to === undefined ? { everyTime: 'A list without a range is a list of all times' } : { to }
}

export interface Reading {
  readonly project: string
  /** A map of texts. */
  readonly metadata: Sql
  readonly trace: Sql
}

export function legacySql(condition: Condition, reading: Reading): Sql {
  const { project, metadata, trace } = reading
  const plain = (each: Condition) => conditionSql(each, { project, cut: false })
  switch (condition.is) {
    case 'metadataText': {
      const { key, operator, value: text } = condition
      if (operator === 'matches') throw badRequest('The operator `matches` is not supported for metadata here.')
      return all([hasKey(metadata, key), plain({ is: 'text', field: textAt(leafOf(metadata, key)), operator, value: text })])
    }
    case 'metadataOptions': {
      const { key, operator, values } = condition
      const found = all([hasKey(metadata, key), plain({ is: 'options', field: textAt(leafOf(metadata, key)), operator: 'any of', values })])
      return operator === 'any of' ? found : sql`NOT (${found})`
    }
    case 'metadataNumber': {
      const { key, operator, value: than } = condition
      const leaf = sql`toFloat64OrNull(${leafOf(metadata, key)})`
      return all([
        hasKey(metadata, key),
        plain({ is: 'number', field: { ...described, kind: 'number', sql: leaf }, operator, value: than }),
      ])
    }
    case 'metadataBoolean':
      return sql`${leafOf(metadata, condition.key)} = ${value('String', String(condition.value))}`
    case 'scoreAverage':
    case 'scoreCategories':
    case 'scoreBooleans':
      return scoreSql(condition, reading)
    case 'set':
      return condition.value ? hasKey(metadata, condition.key) : sql`NOT ${hasKey(metadata, condition.key)}`
    case 'search':
      throw new TypeError(`A condition of the kind ${condition.is} should have been refused earlier`)
    default:
      return sql`${plain(condition)}`
  }

  function scoreSql(of: Extract<Condition, { readonly key: string; readonly field: ScoreField }>, { project }: Reading): Sql {
    const { data_type, string_value, value: number } = scores.columns
    const clauses = () => {
      if (of.is === 'scoreAverage') {
        const average = { ...described, kind: 'number', sql: sql`avg(${number.sql})` } as const
        const having = plain({ is: 'number', field: average, operator: of.operator, value: of.value })
        return { where: [sql`${data_type.sql} IN ('NUMERIC', 'BOOLEAN')`], having }
      }
      if (of.is === 'scoreBooleans')
        return { where: [sql`${data_type.sql} = 'BOOLEAN'`, sql`${number.sql} = ${value('Float64', of.value ? 1 : 0)}`] }
      const isLabel = sql`ifNull(${string_value.sql}, '') IN ${value('Array(String)', of.values)}`
      return { where: [sql`${data_type.sql} IN ('CATEGORICAL', 'TEXT')`, isLabel] }
    }
    const chosen = select(
      scoresNamed(project, of.key),
      { trace: field(subject.trace.sql, String) },
      { ...clauses(), groupBy: [sql`trace`] },
    )
    const isComplement = (of.is === 'scoreCategories' && of.operator === 'none of') || (of.is === 'scoreBooleans' && !of.holds)
    return isComplement ? sql`${trace} NOT IN (${chosen.sql})` : sql`${trace} IN (${chosen.sql})`
  }
}

const described = { id: '', label: '', cost: 'scan', help: '', of: notInMemory } as const
const textAt = (expression: Sql): TextField => ({ ...described, kind: 'text', sql: expression })
const hasKey = (map: Sql, key: string): Sql => sql`mapContains(${map}, ${value('String', key)})`
const leafOf = (map: Sql, key: string): Sql => sql`${map}[${value('String', key)}]`
