// Converts an API filter to text for the filter bar.
import { type FilterCondition, signOf } from './condition.ts'
import { fieldOfColumn } from './fields.ts'

/** Returns undefined if the filter bar has no field for a column. */
export function writeFilter(conditions: readonly FilterCondition[]): string | undefined {
  const terms: string[] = []
  for (let at = 0; at < conditions.length; at++) {
    const range = rangeTerm(conditions[at]!, conditions[at + 1])
    const term = range ?? termOf(conditions[at]!)
    if (term === undefined) return undefined
    if (range !== undefined) at++
    terms.push(term)
  }
  return terms.join(' ')
}

/** Some characters are special only at the beginning of a value. Other characters are special at every position. */
const isPlain = (text: string): boolean => /^[^\s"()|&=~^$*<>][^\s"()|&]*$/u.test(text)
const looksTyped = (text: string): boolean => /^(?:true|false|[+-]?\.?\d.*)$/su.test(text)

export const quoteValue = (text: string): string => (isPlain(text) ? text : JSON.stringify(text))
const quoteTyped = (text: string): string => (looksTyped(text) ? JSON.stringify(text) : quoteValue(text))
export const quoteKey = (key: string): string => (/^[^\s":]+$/u.test(key) ? key : JSON.stringify(key))

const listed = (values: readonly string[], join: '|' | '&' = '|'): string => values.map(quoteValue).join(join)

/** If `first` is a lower bound and `second` is an upper bound of the same field, writes both as one range. Otherwise, returns undefined. */
function rangeTerm(first: FilterCondition, second: FilterCondition | undefined): string | undefined {
  if (second === undefined || first.column !== second.column) return undefined
  if (first.type === 'number' && second.type === 'number' && first.operator === '>=' && second.operator === '<=') {
    const field = fieldOfColumn(first.column)
    return field && `${field.name}:${first.value}..${amount(second.column, second.value)}`
  }
  if (first.type !== 'numberObject' || second.type !== 'numberObject' || first.key !== second.key) return undefined
  if (first.operator !== '>=' || second.operator !== '<=') return undefined
  const name = prefixOf(first.column)
  return name && `${name}.${quoteKey(first.key)}:${first.value}..${second.value}`
}

const amount = (column: string, value: number): string => `${value}${fieldOfColumn(column)?.kind === 'seconds' ? 's' : ''}`
const compared = (operator: string, value: string): string => `${operator === '=' ? '' : operator}${value}`

function prefixOf(column: string): string | undefined {
  if (column === 'metadata') return column
  const score = /^(trace_)?score(?:s_avg|_categories|_booleans)$/.exec(column)
  return score === null ? undefined : score[1] === undefined ? 'score' : 'traceScore'
}

export function termOf(condition: FilterCondition): string | undefined {
  if ('key' in condition) {
    const prefix = prefixOf(condition.column)
    return prefix && keyedTerm(condition, `${prefix}.${quoteKey(condition.key)}`)
  }
  const field = fieldOfColumn(condition.column)
  if (field === undefined) return undefined
  const { name } = field
  switch (condition.type) {
    case 'string': {
      const minus = condition.operator === 'does not contain' ? '-' : ''
      const usual = field.kind === 'searched' ? 'matches' : '='
      return `${minus}${name}:${condition.operator === usual ? '' : signOf(condition.operator)}${quoteValue(condition.value)}`
    }
    case 'stringOptions':
      if (condition.operator === 'none of' && condition.value.length === 1) return `-${name}:${quoteValue(condition.value[0]!)}`
      return `${condition.operator === 'none of' ? '-' : ''}${name}:(${listed(condition.value)})`
    case 'arrayOptions':
      return arrayTerm(name, condition.operator, condition.value)
    case 'number':
      return `${name}:${compared(condition.operator, amount(condition.column, condition.value))}`
    case 'datetime':
      return `${name}:${condition.operator}${quoteValue(condition.value)}`
    case 'boolean':
      if (condition.operator === '=' && (condition.column === 'hasInput' || condition.column === 'hasOutput')) {
        return `${condition.value ? '' : '-'}has:${condition.column === 'hasInput' ? 'input' : 'output'}`
      }
      return `${condition.operator === '<>' ? '-' : ''}${name}:${condition.value}`
    case 'null':
      return `${condition.operator === 'is null' ? '-' : ''}has:${name}`
  }
}

function arrayTerm(name: string, operator: 'any of' | 'none of' | 'all of', values: readonly string[]): string {
  if (operator === 'all of') return `${name}:(${values.length < 2 ? '&' : ''}${listed(values, '&')})`
  const minus = operator === 'none of' ? '-' : ''
  return values.length === 1 ? `${minus}${name}:${quoteValue(values[0]!)}` : `${minus}${name}:(${listed(values)})`
}

function keyedTerm(condition: Extract<FilterCondition, { readonly key: string }>, name: string): string {
  switch (condition.type) {
    case 'numberObject':
      return `${name}:${compared(condition.operator, String(condition.value))}`
    case 'booleanObject':
      return `${condition.operator === '<>' ? '-' : ''}${name}:${condition.value}`
    case 'categoryOptions': {
      const minus = condition.operator === 'none of' ? '-' : ''
      const [only, ...more] = condition.value
      // A metadata value in a list is compared as text. Outside a list, the bar also compares the value's type.
      const isListed = condition.column === 'metadata' && condition.operator === 'any of'
      return only !== undefined && more.length === 0 && !isListed
        ? `${minus}${name}:${quoteTyped(only)}`
        : `${minus}${name}:(${listed(condition.value)})`
    }
    case 'stringObject': {
      const { operator, value, key } = condition
      if (operator === 'is set' || operator === 'is not set') {
        return `${operator === 'is not set' ? '-' : ''}has:${quoteValue(`metadata.${key}`)}`
      }
      if (operator === '=') return `${name}:${quoteTyped(value)}`
      return `${operator === 'does not contain' ? '-' : ''}${name}:${signOf(operator)}${quoteValue(value)}`
    }
  }
}
