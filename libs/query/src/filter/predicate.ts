// Evaluates conditions in memory, for rules that check observations as they arrive. A property test compares the results with those of
// `sql.ts`.
import { entryOf } from '../fields/amounts.ts'
import type { EventRow } from '../fields/events.ts'
import { leafOf, leafType } from '../fields/metadata.ts'
import { asciiLower, tokensOf } from '../texts.ts'
import type { Condition, NumberOperator, OrderOperator, TextOperator } from './condition.ts'

export interface ObservedScore {
  readonly name: string
  readonly dataType: string
  readonly value: number
  readonly stringValue: string | null
  /** Null if the score belongs to the whole trace. */
  readonly observationId: string | null
}

/** A row of events_full, the scores of its observation, and the scores of its trace. */
export interface Observation {
  readonly row: EventRow
  readonly scores: readonly ObservedScore[]
}

export const filterHolds = (conditions: readonly Condition[], observation: Observation): boolean =>
  conditions.every(condition => holds(condition, observation))

function holds(condition: Condition, { row, scores }: Observation): boolean {
  switch (condition.is) {
    case 'text':
      return textHolds(condition.field.of(row), condition.operator, condition.value)
    case 'options':
      return condition.values.includes(condition.field.of(row)) === (condition.operator === 'any of')
    case 'number':
      return compares(condition.field.of(row), condition.operator, condition.value)
    case 'time':
      return compares(condition.field.of(row), condition.operator, condition.value)
    case 'boolean':
      return condition.field.of(row) === condition.value
    case 'list':
      return listHolds(condition.field.of(row), condition)
    case 'null':
      return isNull(condition.field.of(row)) === condition.value
    case 'search':
      return searchHolds(condition.field.of(row), condition)
    case 'amount':
      return compares(entryOf(condition.field.of(row), condition.key), condition.operator, condition.value)
    case 'price':
      throw new TypeError('A row does not contain the prices of a model')
    case 'scoreAverage':
    case 'scoreCategories':
    case 'scoreBooleans':
      return scoresHold(condition, row, scores)
    default:
      return metadataHolds(condition, row)
  }
}

type Of<Is extends Condition['is']> = Extract<Condition, { readonly is: Is }>

function textHolds(text: string, operator: TextOperator, part: string): boolean {
  if (operator === '=') return text === part
  if (operator === 'starts with') return text.startsWith(part)
  if (operator === 'ends with') return text.endsWith(part)
  return text.includes(part) === (operator === 'contains')
}

/** A comparison with a missing value is false. */
export function compares<Value extends number | bigint>(value: Value | null, operator: NumberOperator, than: Value): boolean {
  if (value === null) return false
  return operator === '=' ? value === than : inOrder(value, operator, than)
}

function inOrder<Value extends number | bigint>(value: Value, operator: OrderOperator, than: Value): boolean {
  if (operator === '>') return value > than
  if (operator === '<') return value < than
  return operator === '>=' ? value >= than : value <= than
}

function listHolds(list: readonly string[], { operator, values }: Of<'list'>): boolean {
  if (operator === 'all of') return values.every(value => list.includes(value))
  return values.some(value => list.includes(value)) === (operator === 'any of')
}

const isNull = (value: unknown): boolean => value === null || value === '' || (Array.isArray(value) && value.length === 0)

function searchHolds(text: string, { operator, value }: Of<'search'>): boolean {
  return operator === 'matches' ? matches(asciiLower(text), asciiLower(value)) : textHolds(text, operator, value)
}

function matches(text: string, part: string): boolean {
  if (!text.includes(part)) return false
  const tokens = new Set(tokensOf(text))
  return tokensOf(part).every(token => tokens.has(token))
}

function metadataHolds(
  condition: Of<'set' | 'metadataText' | 'metadataNumber' | 'metadataBoolean' | 'metadataOptions'>,
  row: EventRow,
): boolean {
  const leaf = leafOf(row, condition.key)
  if (condition.is === 'set') return (leaf !== undefined) === condition.value
  if (condition.is === 'metadataOptions') {
    return (leaf !== undefined && condition.values.includes(leaf.text)) === (condition.operator === 'any of')
  }
  if (leaf === undefined) return false
  if (condition.is === 'metadataBoolean') return leaf.type === leafType.boolean && leaf.text === String(condition.value)
  if (condition.is === 'metadataNumber') {
    return leaf.type === leafType.number && leaf.text !== '' && compares(Number(leaf.text), condition.operator, condition.value)
  }
  return condition.operator === 'matches' ? matches(leaf.text, condition.value) : textHolds(leaf.text, condition.operator, condition.value)
}

function scoresHold(
  condition: Of<'scoreAverage' | 'scoreCategories' | 'scoreBooleans'>,
  row: EventRow,
  scores: readonly ObservedScore[],
): boolean {
  const of = condition.field.of === 'trace' ? null : row.span_id
  const named = scores.filter(score => score.name === condition.key && (score.observationId || null) === of)
  if (condition.is === 'scoreAverage') {
    const values = named.flatMap(({ dataType, value }) => (dataType === 'NUMERIC' || dataType === 'BOOLEAN' ? [value] : []))
    const average = values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
    return compares(average, condition.operator, condition.value)
  }
  if (condition.is === 'scoreBooleans') {
    return named.some(({ dataType, value }) => dataType === 'BOOLEAN' && value === (condition.value ? 1 : 0)) === condition.holds
  }
  const hasLabel = named.some(
    ({ dataType, stringValue }) => (dataType === 'CATEGORICAL' || dataType === 'TEXT') && condition.values.includes(stringValue ?? ''),
  )
  return hasLabel === (condition.operator === 'any of')
}
