// Parses the text of the filter bar into a filter for the API.
import type { FilterCondition, NumberOperator } from './condition.ts'
import { textSigns } from './condition.ts'
import { type BarField, fieldNamed, scorePrefixes } from './fields.ts'
import { FilterError, type Single, type Term, termsOf } from './tokens.ts'

export type ParsedFilter =
  | { readonly ok: true; readonly conditions: readonly FilterCondition[]; readonly terms: readonly Term[] }
  /** Position of the error in the text. */
  | { readonly ok: false; readonly message: string; readonly from: number; readonly to: number }

export function parseFilter(text: string): ParsedFilter {
  try {
    const terms = termsOf(text)
    const found = terms.map(conditionsOf)
    requireSearch(terms, found)
    return { ok: true, conditions: found.flat(), terms }
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    return { ok: false, message: error.message, from: error.from, to: error.to }
  }
}

/** The API accepts a filter by input or output only together with an indexed search (contract §17.3). */
function requireSearch(terms: readonly Term[], found: readonly (readonly FilterCondition[])[]): void {
  const isOfContents = (each: FilterCondition) => each.type === 'string' && (each.column === 'input' || each.column === 'output')
  const isSearch = (each: FilterCondition) => isOfContents(each) && (each.operator === '=' || each.operator === 'matches')
  const at = found.findIndex(each => each.some(isOfContents))
  if (at >= 0 && !found.flat().some(isSearch)) fail(terms[at]!, 'Add a word to search for, such as input:refund.')
}

function fail(term: Term, message: string): never {
  throw new FilterError(message, term.from, term.to)
}

function conditionsOf(term: Term): readonly FilterCondition[] {
  const { field: name, key } = term
  if (name === undefined) return [ofBareWord(term)]
  if (name === 'has') return [ofPresence(term)]
  if (name === 'metadata') return ofMetadata(term)
  if (name === 'score' || name === 'traceScore') return ofScore(term, scorePrefixes[name])
  const field = fieldNamed(name)
  if (field === undefined) fail(term, `There is no field ${name}. Type a letter to list the fields.`)
  if (key !== undefined) fail(term, `${name} has no keys. Write ${name}:value.`)
  return ofField(term, field)
}

/** For a word without a field, returns a condition on the column `input`. */
function ofBareWord(term: Term): FilterCondition {
  const text = oneOf(term).text
  if (term.isNegated) return { type: 'string', column: 'input', operator: 'does not contain', value: text }
  return { type: 'string', column: 'input', operator: 'matches', value: text }
}

/** `has:output`, `has:user`, `has:metadata.key`. */
function ofPresence(term: Term): FilterCondition {
  const { text } = oneOf(term)
  const metadata = /^metadata\.([\s\S]*)$/.exec(text)
  if (metadata !== null) {
    const operator = term.isNegated ? 'is not set' : 'is set'
    return { type: 'stringObject', column: 'metadata', key: metadata[1]!, operator, value: '' }
  }
  const field = fieldNamed(text)
  if (field === undefined) fail(term, `There is no field ${text}.`)
  if (field.kind === 'searched') {
    return { type: 'boolean', column: field.column === 'input' ? 'hasInput' : 'hasOutput', operator: '=', value: !term.isNegated }
  }
  if (field.kind === 'boolean' || field.kind === 'list') fail(term, `${field.name} is set on every observation.`)
  return { type: 'null', column: field.column, operator: term.isNegated ? 'is null' : 'is not null', value: '' }
}

function oneOf(term: Term): Single {
  if (term.value.kind === 'list' || term.value.sign !== '') fail(term, 'Write one value.')
  return term.value.single
}

function ofField(term: Term, field: BarField): readonly FilterCondition[] {
  const { column } = field
  switch (field.kind) {
    case 'text':
    case 'searched':
      return [ofText(term, field)]
    case 'list':
      return [ofList(term, column)]
    case 'boolean': {
      const value = booleanOf(oneOf(term)) ?? fail(term, `${field.name} is true or false.`)
      return [{ type: 'boolean', column, operator: term.isNegated ? '<>' : '=', value }]
    }
    case 'time':
      return [ofTime(term, column)]
    default: {
      const scale = field.kind === 'seconds' ? secondsOf : numberOf
      const found = numbersOf(term, scale)
      return (found ?? fail(term, `${field.name} takes a number, such as >2 or 1..5.`)).map(each => ({ type: 'number', column, ...each }))
    }
  }
}

function ofText(term: Term, { column, kind, name }: BarField): FilterCondition {
  const { isNegated, value } = term
  if (value.kind === 'list') {
    if (kind === 'searched' || value.join === '&') fail(term, `${name} can have a list (a|b) only of complete values.`)
    return { type: 'stringOptions', column, operator: isNegated ? 'none of' : 'any of', value: textsOf(term, value.items) }
  }
  const { sign, single } = value
  if (single.text === '' && !single.isQuoted) fail(term, `Write a value after ${name}:.`)
  if (isNegated && sign === '~') return { type: 'string', column, operator: 'does not contain', value: single.text }
  if (isNegated) {
    if (sign !== '' || kind === 'searched') fail(term, `Write -${name}:~text for values without that text.`)
    return { type: 'stringOptions', column, operator: 'none of', value: [single.text] }
  }
  const operator = textOperator(term, sign) ?? (kind === 'searched' ? 'matches' : '=')
  if (operator === 'matches' && kind !== 'searched') fail(term, `${name} cannot be searched by words. Write ${name}:~text instead.`)
  return { type: 'string', column, operator, value: single.text }
}

function textOperator(term: Term, sign: string): (typeof textSigns)[keyof typeof textSigns] | undefined {
  if (sign === '') return undefined
  for (const [each, operator] of Object.entries(textSigns)) if (each === sign) return operator
  return fail(
    term,
    `${sign} compares only numbers. Texts can be compared with = (equals), ~ (contains), ^ (starts with) and $ (ends with).`,
  )
}

const textsOf = (term: Term, items: readonly Single[]): readonly string[] =>
  items.length === 0 ? fail(term, 'At least one value is required.') : items.map(({ text }) => text)

function ofList({ isNegated, value, ...rest }: Term, column: string): FilterCondition {
  const term = { isNegated, value, ...rest }
  if (value.kind === 'single') {
    if (value.sign !== '') fail(term, 'Write one value. To require several values, write (a&b).')
    return { type: 'arrayOptions', column, operator: isNegated ? 'none of' : 'any of', value: [value.single.text] }
  }
  const items = value.items.map(({ text }) => text)
  if (value.join === '&') {
    if (isNegated) fail(term, 'Write -tags:(a|b) for traces with none of these tags.')
    return { type: 'arrayOptions', column, operator: 'all of', value: items }
  }
  if (!isNegated && items.length === 0) fail(term, 'At least one value is required.')
  return { type: 'arrayOptions', column, operator: isNegated ? 'none of' : 'any of', value: items }
}

function ofTime(term: Term, column: string): FilterCondition {
  const { value } = term
  if (term.isNegated || value.kind === 'list' || value.sign === '' || value.sign === '=') fail(term, 'Write > or < before a time.')
  const operator = orderOf(value.sign)
  if (operator === undefined || operator === '=' || Number.isNaN(Date.parse(value.single.text))) {
    fail(term, 'Write a time such as >2026-11-26T16:00:00Z.')
  }
  return { type: 'datetime', column, operator, value: value.single.text }
}

function orderOf(sign: string): NumberOperator | undefined {
  return sign === '' ? '=' : (['=', '>', '<', '>=', '<='] as const).find(each => each === sign)
}

const numberPattern = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/i

function numberOf(text: string): number | undefined {
  const found = numberPattern.exec(text)?.[0]
  return found === undefined || found.length < text.length || !Number.isFinite(Number(found)) ? undefined : Number(found)
}

const secondsBy: Readonly<Record<string, number>> = { ms: 0.001, s: 1, '': 1, m: 60, min: 60, h: 3_600 }

function secondsOf(text: string): number | undefined {
  const found = numberPattern.exec(text)?.[0] ?? ''
  const value = numberOf(found)
  const scale = secondsBy[text.slice(found.length)]
  if (value === undefined || scale === undefined) return undefined
  return scale === 0.001 ? value / 1_000 : value * scale
}

interface Compared {
  readonly operator: NumberOperator
  readonly value: number
}

/**
 * Reads a value such as `>2`, `5` or `1..5`. Returns undefined if the term is negated, if the value is a list or is quoted, if the sign
 * does not compare numbers, or if a part of the value is not a number.
 */
function numbersOf({ isNegated, value }: Term, read: (text: string) => number | undefined): readonly Compared[] | undefined {
  if (isNegated || value.kind === 'list' || value.single.isQuoted) return undefined
  const { sign, single } = value
  const range = sign === '' ? /^(.+?)\.\.(.+)$/.exec(single.text) : null
  if (range !== null) {
    const [least, most] = [read(range[1]!), read(range[2]!)]
    if (least === undefined || most === undefined) return undefined
    return [
      { operator: '>=', value: least },
      { operator: '<=', value: most },
    ]
  }
  const [operator, number] = [orderOf(sign), read(single.text)]
  return operator === undefined || number === undefined ? undefined : [{ operator, value: number }]
}

const booleanOf = ({ text, isQuoted }: Single): boolean | undefined =>
  isQuoted ? undefined : text === 'true' ? true : text === 'false' ? false : undefined

function keyOf(term: Term): string {
  return term.key ?? fail(term, `Write ${term.field}.key:value.`)
}

/** Quoted values are always texts. Unquoted values can also be booleans or numbers. */
function ofMetadata(term: Term): readonly FilterCondition[] {
  const base = { column: 'metadata', key: keyOf(term) }
  const { isNegated, value } = term
  if (value.kind === 'list') {
    if (value.join === '&') fail(term, 'A metadata path has only one value, so it cannot match two values at once. Write (a|b).')
    return [{ type: 'categoryOptions', ...base, operator: isNegated ? 'none of' : 'any of', value: value.items.map(({ text }) => text) }]
  }
  const boolean = value.sign === '' ? booleanOf(value.single) : undefined
  if (boolean !== undefined) return [{ type: 'booleanObject', ...base, operator: isNegated ? '<>' : '=', value: boolean }]
  const numbers = ['', '>', '<', '>=', '<='].includes(value.sign) ? numbersOf(term, numberOf) : undefined
  if (numbers !== undefined) return numbers.map(each => ({ type: 'numberObject', ...base, ...each }))
  if (isNegated && value.sign === '') return [{ type: 'categoryOptions', ...base, operator: 'none of', value: [value.single.text] }]
  if (isNegated && value.sign !== '~') fail(term, `Write -metadata.${base.key}:~text for values without that text.`)
  const operator = isNegated ? 'does not contain' : (textOperator(term, value.sign) ?? '=')
  return [{ type: 'stringObject', ...base, operator, value: value.single.text }]
}

function ofScore(term: Term, prefix: string): readonly FilterCondition[] {
  const key = keyOf(term)
  const { isNegated, value } = term
  const column = `${prefix}score_categories`
  const operator = isNegated ? 'none of' : 'any of'
  if (value.kind === 'list') {
    if (value.join === '&') fail(term, 'A score has only one label, so write (a|b).')
    return [{ type: 'categoryOptions', column, key, operator, value: value.items.map(({ text }) => text) }]
  }
  const boolean = value.sign === '' ? booleanOf(value.single) : undefined
  if (boolean !== undefined) {
    return [{ type: 'booleanObject', column: `${prefix}score_booleans`, key, operator: isNegated ? '<>' : '=', value: boolean }]
  }
  const numbers = numbersOf(term, numberOf)
  if (numbers !== undefined) return numbers.map(each => ({ type: 'numberObject', column: `${prefix}scores_avg`, key, ...each }))
  if (value.sign !== '') fail(term, 'A score filter takes a number, such as <0.5, or a label.')
  return [{ type: 'categoryOptions', column, key, operator, value: [value.single.text] }]
}
