// Compiles conditions to SQL over the events tables.
import { metadataPairs } from '@svc-server/schema/events/ddl'
import { e, keptCharacters } from '../fields/events.ts'
import { leafType } from '../fields/metadata.ts'
import { scoresNamed, subject as subjectFields } from '../scores/named.ts'
import { scores } from '../scores/table.ts'
import { select } from '../sql/select.ts'
import { all, any, constant, type Sql, sql, value } from '../sql/sql.ts'
import { asciiLower, tokensOf } from '../texts.ts'
import type { Condition, NumberOperator, TextOperator } from './condition.ts'

interface Reading {
  readonly project: string
  /**
   * True for events_core, which truncates long texts. If a truncated text does not show whether its row matches, the SQL selects the row.
   */
  readonly cut: boolean
}

type Of<Is extends Condition['is']> = Extract<Condition, { readonly is: Is }>

export function conditionSql(condition: Condition, reading: Reading): Sql {
  switch (condition.is) {
    case 'text':
      return textSql(condition.field.sql, condition.operator, value('String', condition.value))
    case 'options':
      return optionsSql(condition.field.sql, condition)
    case 'number':
      return compared(condition.field.sql, condition)
    case 'time':
      return sql`ifNull(${condition.field.sql} ${constant(condition.operator)} fromUnixTimestamp64Micro(${value('Int64', condition.value)}, 'UTC'), 0)`
    case 'boolean':
      return condition.value ? condition.field.sql : sql`NOT ${condition.field.sql}`
    case 'list':
      return listSql(condition)
    case 'null':
      return nullSql(condition)
    case 'search':
      return searchSql(condition)
    case 'amount':
      return amountSql(condition)
    case 'price':
      throw new TypeError('A condition on prices must already be a condition on models')
    case 'set':
      if (condition.field.of === 'score') return condition.value ? scoreHasKey(condition.key) : sql`NOT ${scoreHasKey(condition.key)}`
      return condition.value ? hasKey(condition.key) : sql`NOT ${hasKey(condition.key)}`
    case 'metadataText':
      if (condition.field.of === 'score') return all([scoreHasKey(condition.key), partOf(scoreLeaf(condition.key), condition)])
      return all([hasKey(condition.key), metadataTextSql(condition, reading)])
    case 'metadataOptions':
      return metadataOptionsSql(condition, reading)
    case 'metadataNumber':
      return all([
        hasKey(condition.key),
        isOfType(condition.key, 'number'),
        compared(sql`toFloat64OrNull(${leaf(condition.key)})`, condition),
      ])
    case 'metadataBoolean':
      return all([
        hasPair(condition.key, String(condition.value)),
        isOfType(condition.key, 'boolean'),
        leafIs(condition.key, String(condition.value)),
      ])
    default:
      return scoreSql(condition, reading.project)
  }
}

/** True if the condition gives the same result on the truncated texts of events_core as on the whole texts. */
export function isExactOnCore(condition: Condition): boolean {
  if (condition.is === 'search') return false
  if (condition.is === 'metadataOptions') return condition.field.of === 'score' || condition.values.every(isShort)
  if (condition.is !== 'metadataText' || condition.field.of === 'score') return true
  const characters = [...condition.value].length
  if (condition.operator === '=') return characters < keptCharacters
  return condition.operator === 'starts with' && characters <= keptCharacters
}

function textSql(text: Sql, operator: TextOperator, part: Sql): Sql {
  if (operator === '=') return sql`${text} = ${part}`
  if (operator === 'starts with') return sql`startsWith(${text}, ${part})`
  if (operator === 'ends with') return sql`endsWith(${text}, ${part})`
  return operator === 'contains' ? sql`position(${text}, ${part}) > 0` : sql`position(${text}, ${part}) = 0`
}

function optionsSql(text: Sql, { operator, values }: Pick<Of<'options'>, 'operator' | 'values'>): Sql {
  const listed = value('Array(String)', values)
  return operator === 'any of' ? sql`${text} IN ${listed}` : sql`${text} NOT IN ${listed}`
}

/** A comparison with a missing number is false. */
const compared = (number: Sql, { operator, value: than }: { readonly operator: NumberOperator; readonly value: number }): Sql =>
  sql`ifNull(${number} ${constant(operator)} ${value('Float64', than)}, 0)`

function amountSql({ field, key, ...than }: Of<'amount'>): Sql {
  const name = value('String', key)
  return compared(sql`if(mapContains(${field.sql}, ${name}), toFloat64(${field.sql}[${name}]), NULL)`, than)
}

function listSql({ field, operator, values }: Of<'list'>): Sql {
  const listed = value('Array(String)', values)
  if (operator === 'all of') return sql`hasAll(${field.sql}, ${listed})`
  return operator === 'any of' ? sql`hasAny(${field.sql}, ${listed})` : sql`NOT hasAny(${field.sql}, ${listed})`
}

function nullSql({ field, value: isNull }: Of<'null'>): Sql {
  if (field.kind === 'text') return isNull ? sql`${field.sql} = ''` : sql`${field.sql} != ''`
  if (field.kind === 'list') return isNull ? sql`empty(${field.sql})` : sql`notEmpty(${field.sql})`
  return isNull ? sql`isNull(${field.sql})` : sql`isNotNull(${field.sql})`
}

/** Maximum number of tokens to look up from the start of a search text. The last token is looked up, too. They exclude most rows. */
const maxTokens = 30

/**
 * Returns conditions that can use the token indexes of events_full. The conditions look up only the first `maxTokens` tokens of `part`, and
 * the last token of `part`.
 */
function hasTokens(text: Sql, part: string): readonly Sql[] {
  const [last] = tokensOf(part, 'backwards')
  const few = new Set([...tokensOf(part).slice(0, maxTokens), ...(last === undefined ? [] : [last])])
  return [...few].map(token => sql`hasToken(${text}, ${value('String', token)})`)
}

function searchSql({ field, operator, value: text }: Of<'search'>): Sql {
  if (operator !== 'matches' && operator !== '=') return textSql(field.sql, operator, value('String', text))
  const lower = sql`lower(${field.sql})`
  const lowered = asciiLower(text)
  const found = operator === '=' ? sql`${field.sql} = ${value('String', text)}` : sql`position(${lower}, ${value('String', lowered)}) > 0`
  return all([...hasTokens(lower, lowered), found])
}

/** In engine version 26.7, `has` never finds the empty text in a LowCardinality list. */
const hasKey = (key: string): Sql =>
  key === '' ? sql`arrayExists(name -> name = '', ${e.metadata_names.sql})` : sql`has(${e.metadata_names.sql}, ${value('String', key)})`
const position = (key: string): Sql => sql`arrayLastIndex(name -> name = ${value('String', key)}, ${e.metadata_names.sql})`
const leaf = (key: string): Sql => sql`${e.metadata_values.sql}[${position(key)}]`
const leafIs = (key: string, text: string): Sql => sql`${leaf(key)} = ${value('String', text)}`
const isOfType = (key: string, type: keyof typeof leafType): Sql =>
  sql`${e.metadata_types.sql}[${position(key)}] = ${constant(String(leafType[type]))}`

/** The expression must equal the expression of an index of events_core, so that the query uses this index. */
const hasPair = (key: string, text: string): Sql => sql`has(${constant(metadataPairs)}, ${value('String', `${key}=${text}`)})`

/** True for a text that is too short to be truncated in events_core. */
const isShort = (text: string): boolean => [...text].length < keptCharacters

/** If a row lacks the key, the row counts as having none of the condition's values. */
function metadataOptionsSql({ field, key, operator, values }: Of<'metadataOptions'>, { cut }: Reading): Sql {
  const isOneOf = (text: Sql, has: Sql, listed: readonly string[]) => all([has, optionsSql(text, { operator: 'any of', values: listed })])
  if (field.of === 'score') {
    const found = isOneOf(scoreLeaf(key), scoreHasKey(key), values)
    return operator === 'any of' ? found : sql`NOT (${found})`
  }
  if (operator === 'any of') return isOneOf(leaf(key), hasKey(key), cut ? values.map(kept) : values)
  // Several long values can have the same truncated text, so this condition excludes only rows that have one of the short values.
  return sql`NOT (${isOneOf(leaf(key), hasKey(key), cut ? values.filter(isShort) : values)})`
}

const kept = (text: string) => [...text].slice(0, keptCharacters).join('')

function metadataTextSql({ key, operator, value: text }: Of<'metadataText'>, { cut }: Reading): Sql {
  const isLong = [...text].length > keptCharacters
  const shown = cut ? kept(text) : text
  if (operator === '=') return all([...(cut ? [hasPair(key, shown)] : []), leafIs(key, shown)])
  const exact = partOf(leaf(key), { operator, value: text })
  if (!cut || operator === 'does not contain') return exact
  if (operator === 'starts with') return isLong ? leafIs(key, shown) : exact
  // In events_core, the texts are truncated. The match can be in the part of the text that events_core does not store. A text that may be
  // truncated therefore counts as a match.
  return any([exact, sql`lengthUTF8(${leaf(key)}) >= ${constant(String(keptCharacters))}`])
}

const partOf = (text: Sql, { operator, value: part }: Pick<Of<'metadataText'>, 'operator' | 'value'>): Sql =>
  operator === 'matches' ? matched(text, part) : textSql(text, operator, value('String', part))

/** A score's metadata is a map of names to texts. */
const scoreHasKey = (key: string): Sql => sql`mapContains(${scores.columns.metadata.sql}, ${value('String', key)})`
const scoreLeaf = (key: string): Sql => sql`${scores.columns.metadata.sql}[${value('String', key)}]`

const matched = (text: Sql, part: string): Sql => all([...hasTokens(text, part), sql`position(${text}, ${value('String', part)}) > 0`])

type ScoreCondition = Of<'scoreAverage' | 'scoreCategories' | 'scoreBooleans'>

function scoreSql(condition: ScoreCondition, project: string): Sql {
  const { trace, observation } = subjectFields
  const ofTrace = condition.field.of === 'trace'
  const fields = ofTrace ? { trace } : { trace, observation }
  const where = ofTrace ? [sql`${trace.sql} != ''`, sql`${observation.sql} = ''`] : [sql`${observation.sql} != ''`]
  const of = scoreConditions(condition)
  const source = scoresNamed(project, condition.key)
  const groupBy = ofTrace ? [sql`trace`] : [sql`trace`, sql`observation`]
  const chosen = select(source, fields, { where: [...where, ...of.where], groupBy, ...(of.having && { having: of.having }) })
  const row = ofTrace ? e.trace_id.sql : sql`(${e.trace_id.sql}, ${e.span_id.sql})`
  const isComplement =
    (condition.is === 'scoreCategories' && condition.operator === 'none of') || (condition.is === 'scoreBooleans' && !condition.holds)
  return isComplement ? sql`${row} NOT IN (${chosen.sql})` : sql`${row} IN (${chosen.sql})`
}

function scoreConditions(condition: ScoreCondition): { readonly where: readonly Sql[]; readonly having?: Sql } {
  const { data_type, string_value, value: number } = scores.columns
  if (condition.is === 'scoreAverage') {
    return { where: [sql`${data_type.sql} IN ('NUMERIC', 'BOOLEAN')`], having: compared(sql`avg(${number.sql})`, condition) }
  }
  if (condition.is === 'scoreBooleans') {
    return { where: [sql`${data_type.sql} = 'BOOLEAN'`, sql`${number.sql} = ${constant(condition.value ? '1' : '0')}`] }
  }
  return {
    where: [
      sql`${data_type.sql} IN ('CATEGORICAL', 'TEXT')`,
      sql`ifNull(${string_value.sql}, '') IN ${value('Array(String)', condition.values)}`,
    ],
  }
}
