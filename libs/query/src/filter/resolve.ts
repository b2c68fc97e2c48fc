// Checks that every column of a filter exists and accepts the type of its condition.
import type { FilterField } from '../fields/kinds.ts'
import { badRequest } from '../invalid-query.ts'
import { tokensOf } from '../texts.ts'
import { checkedMicrosOf } from '../times.ts'
import type { Condition } from './condition.ts'
import type { ConditionShape, FilterShape } from './grammar.ts'

/** The fields by which a route can filter. A filter can call a field by its id, its label, or another accepted name. */
export interface FilterColumns {
  get(name: string): FilterField | undefined
  /** Lets conditions of type `null` also apply to lists and booleans. */
  readonly nullOfAll?: boolean
}

const snake = (id: string) => id.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

export function filterColumns(fields: readonly FilterField[]): FilterColumns {
  const named = fields.flatMap(field => [field.id, field.label, snake(field.id), ...(field.also ?? [])].map(name => [name, field] as const))
  return new Map(named)
}

/** Throws InvalidQuery. */
export function resolveFilter(shape: FilterShape, columns: FilterColumns): readonly Condition[] {
  return shape.map(condition => {
    const field = columns.get(condition.column)
    if (field === undefined) throw badRequest(`There is no column ${JSON.stringify(condition.column)} to filter by.`)
    const resolved = resolve(condition, field, columns.nullOfAll ?? false)
    if (resolved === undefined) throw badRequest(`The column ${condition.column} does not support filters of the type ${condition.type}.`)
    return resolved
  })
}

function resolve(condition: ConditionShape, field: FilterField, nullOfAll: boolean): Condition | undefined {
  switch (condition.type) {
    case 'string':
      return ofText(condition, field)
    case 'stringOptions':
      return field.kind === 'text' ? { is: 'options', field, operator: condition.operator, values: condition.value } : undefined
    case 'number': {
      const { operator, value } = condition
      if (field.kind === 'price') return { is: 'price', field, than: { operator, value } }
      return field.kind === 'number' ? { is: 'number', field, operator, value } : undefined
    }
    case 'datetime':
      return field.kind === 'time'
        ? { is: 'time', field, operator: condition.operator, value: checkedMicrosOf(condition.value) }
        : undefined
    case 'boolean':
      return field.kind === 'boolean' ? { is: 'boolean', field, value: condition.value === (condition.operator === '=') } : undefined
    case 'arrayOptions':
      return field.kind === 'list' ? { is: 'list', field, operator: condition.operator, values: condition.value } : undefined
    case 'null':
      return ofNull(condition, field, nullOfAll)
    case 'stringObject':
      return ofMetadataText(condition, field)
    case 'numberObject':
      return ofNumbers(condition, field)
    case 'booleanObject':
      return ofBooleans(condition, field)
    case 'categoryOptions':
      return ofCategories(condition, field)
  }
}

type Of<Type extends ConditionShape['type']> = Extract<ConditionShape, { readonly type: Type }>

function ofText({ operator, value }: Of<'string'>, field: FilterField): Condition | undefined {
  if (field.kind === 'searched') return { is: 'search', field, operator, value: searchable(operator, value) }
  if (field.kind !== 'text') return undefined
  if (operator === 'matches') throw badRequest('Only input, output and metadata can be searched with the operator `matches`.')
  return { is: 'text', field, operator, value }
}

function searchable(operator: string, value: string): string {
  if (operator === 'matches' && tokensOf(value).length === 0) throw badRequest('The value of matches must contain a letter or a digit.')
  return value
}

function ofNull({ operator }: Of<'null'>, field: FilterField, nullOfAll: boolean): Condition | undefined {
  if (field.kind === 'price') return { is: 'price', field, isNull: operator === 'is null' }
  const always = field.kind === 'list' || field.kind === 'boolean'
  if (field.kind !== 'text' && field.kind !== 'number' && field.kind !== 'time' && !(nullOfAll && always)) return undefined
  return { is: 'null', field, value: operator === 'is null' }
}

function ofMetadataText({ key, operator, value }: Of<'stringObject'>, field: FilterField): Condition | undefined {
  if (field.kind !== 'metadata') return undefined
  if (operator === 'is set' || operator === 'is not set') return { is: 'set', field, key, value: operator === 'is set' }
  // For every operator except `matches`, the value can be empty, because every text contains the empty text.
  return { is: 'metadataText', field, key, operator, value: searchable(operator, value) }
}

function ofCategories({ key, operator, value: values }: Of<'categoryOptions'>, field: FilterField): Condition | undefined {
  if (field.kind === 'metadata') return { is: 'metadataOptions', field, key, operator, values }
  return field.kind === 'scoreCategories' ? { is: 'scoreCategories', field, key, operator, values } : undefined
}

function ofNumbers({ key, operator, value }: Of<'numberObject'>, field: FilterField): Condition | undefined {
  if (field.kind === 'metadata') return { is: 'metadataNumber', field, key, operator, value }
  if (field.kind === 'amounts') return { is: 'amount', field, key, operator, value }
  return field.kind === 'scoreAverage' ? { is: 'scoreAverage', field, key, operator, value } : undefined
}

function ofBooleans({ key, operator, value }: Of<'booleanObject'>, field: FilterField): Condition | undefined {
  if (field.kind === 'metadata') return { is: 'metadataBoolean', field, key, value: value === (operator === '=') }
  return field.kind === 'scoreBooleans' ? { is: 'scoreBooleans', field, key, holds: operator === '=', value } : undefined
}
