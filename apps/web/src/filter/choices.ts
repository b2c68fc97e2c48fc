// Computes the choices in a value's menu: to filter by the value, or to add or hide a column for the value's field.
import { fixedColumnOf, leafColumnId, scoreColumnId } from './column-ids.ts'
import type { FilterCondition } from './condition.ts'
import { fieldOfColumn } from './fields.ts'
import { quoteKey } from './write.ts'

export interface Choices {
  /**
   * `only` keeps the rows with the value, and `not` keeps all other rows. A condition that the filter cannot express is undefined.
   */
  readonly only?: FilterCondition | undefined
  readonly not?: FilterCondition | undefined
  /** The field's name in the filter bar, such as `metadata.user.plan`. */
  readonly path?: string | undefined
  /** Undefined if the table does not have the column. */
  readonly column?: string | undefined
}

export function fieldChoices(column: string, value: string): Choices {
  const path = fieldOfColumn(column)?.name
  const common = { path, column: path && fixedColumnOf(path) }
  if (value === '') return common
  if (column === 'traceTags') return { ...common, ...tagChoices([value]) }
  return {
    ...common,
    only: { type: 'string', column, operator: '=', value },
    not: { type: 'stringOptions', column, operator: 'none of', value: [value] },
  }
}

export const tagChoices = (value: readonly string[]): Choices => ({
  only: { type: 'arrayOptions', column: 'traceTags', operator: value.length === 1 ? 'any of' : 'all of', value },
  not: { type: 'arrayOptions', column: 'traceTags', operator: 'none of', value },
})

export interface Leaf {
  readonly text: string
  readonly type: number
}

const [numberType, booleanType] = [1, 2]

function leafIs(key: string, { text, type }: Leaf): FilterCondition {
  const of = { column: 'metadata', key, operator: '=' } as const
  if (type === booleanType) return { type: 'booleanObject', ...of, value: text === 'true' }
  // A number with too many digits for a JavaScript number is compared as text.
  if (type === numberType && String(Number(text)) === text) return { type: 'numberObject', ...of, value: Number(text) }
  return { type: 'stringObject', ...of, value: text }
}

/** If `isCut` is true, `leaf.text` is only the beginning of the value. A filter for this text would find nothing, so none is offered. */
export function leafChoices(key: string, leaf: Leaf, isCut: boolean): Choices {
  const common = { path: `metadata.${quoteKey(key)}`, column: leafColumnId(key) }
  if (isCut) return common
  return {
    ...common,
    only: leafIs(key, leaf),
    not: { type: 'categoryOptions', column: 'metadata', key, operator: 'none of', value: [leaf.text] },
  }
}

export function keyChoices(key: string): Choices {
  const of = { type: 'stringObject', column: 'metadata', key, value: '' } as const
  return { ...leafChoices(key, { text: '', type: 0 }, true), only: { ...of, operator: 'is set' }, not: { ...of, operator: 'is not set' } }
}

/** Filters have one path for the scores of a trace, and a different path for the scores of its observations. */
export const scoreNameChoices = (name: string, isOfTrace: boolean): Choices => ({
  path: `${isOfTrace ? 'traceScore' : 'score'}.${quoteKey(name)}`,
  column: scoreColumnId(name),
})

export function scoreChoices(name: string, value: number | string | boolean, isOfTrace: boolean): Choices {
  const common = scoreNameChoices(name, isOfTrace)
  const prefix = isOfTrace ? 'trace_' : ''
  if (typeof value === 'number') {
    return { ...common, only: { type: 'numberObject', column: `${prefix}scores_avg`, key: name, operator: '=', value } }
  }
  if (typeof value === 'boolean') {
    const of = { type: 'booleanObject', column: `${prefix}score_booleans`, key: name, value } as const
    return { ...common, only: { ...of, operator: '=' }, not: { ...of, operator: '<>' } }
  }
  const of = { type: 'categoryOptions', column: `${prefix}score_categories`, key: name, value: [value] } as const
  return { ...common, only: { ...of, operator: 'any of' }, not: { ...of, operator: 'none of' } }
}
