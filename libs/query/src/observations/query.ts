// The parameters of Observations v2. A filter condition replaces the parameter for the same column.
import { observationFields, priceFields } from '../fields/catalog.ts'
import type { FilterField } from '../fields/kinds.ts'
import type { Condition } from '../filter/condition.ts'
import { readFilter } from '../filter/read.ts'
import { filterColumns } from '../filter/resolve.ts'
import { badRequest } from '../invalid-query.ts'
import type { TimeRange } from '../sql/scope.ts'
import { checkedMicrosOf } from '../times.ts'

/** Most values are decoded already. This module parses the filter and the times. */
export interface ObservationsQuery {
  readonly fields?: string | undefined
  readonly expandMetadata?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  readonly parseIoAsJson?: boolean | undefined
  readonly type?: string | undefined
  readonly name?: string | undefined
  readonly userId?: string | undefined
  readonly sessionId?: string | undefined
  readonly traceId?: string | undefined
  readonly version?: string | undefined
  readonly level?: string | undefined
  /** An empty value selects rows without a parent. */
  readonly parentObservationId?: string | undefined
  readonly isRootObservation?: boolean | undefined
  readonly environment?: readonly string[] | undefined
  /** ISO 8601, checked. */
  readonly fromStartTime?: string | undefined
  readonly toStartTime?: string | undefined
  readonly filter?: string | undefined
}

/** A test ensures that every response field is listed. */
export const columns = filterColumns([...observationFields, ...priceFields])

function fieldOf<Kind extends FilterField['kind']>(id: string, kind: Kind): Extract<FilterField, { readonly kind: Kind }> {
  const field = columns.get(id)
  if (field === undefined || !isOf(field, kind)) throw new TypeError(`The catalog has no field ${id} of the kind ${kind}`)
  return field
}

const isOf = <Kind extends FilterField['kind']>(field: FilterField, kind: Kind): field is Extract<FilterField, { readonly kind: Kind }> =>
  field.kind === kind

const equalities = ['type', 'name', 'userId', 'sessionId', 'traceId', 'version', 'level'] as const

/** Throws InvalidQuery. */
export function conditionsOf(query: ObservationsQuery): readonly Condition[] {
  if (query.parseIoAsJson === true) throw badRequest('parseIoAsJson is no longer supported: input and output are texts.')
  const filter = readFilter(query.filter, columns)
  requireSearch(filter)
  const filtered = new Set(filter.map(({ field }) => field.id))
  return [...simpleConditions(query).filter(({ field }) => !filtered.has(field.id)), ...filter]
}

function requireSearch(filter: readonly Condition[]): void {
  const searches = filter.flatMap(condition => (condition.is === 'search' ? [condition.operator] : []))
  if (searches.length === 0 || searches.some(operator => operator === '=' || operator === 'matches')) return
  throw badRequest('Input/output filters require at least one `matches` or `=` operator.')
}

function simpleConditions(query: ObservationsQuery): readonly Condition[] {
  const { parentObservationId: parent, isRootObservation: isRoot, environment = [], fromStartTime: from, toStartTime: to } = query
  const start = fieldOf('startTime', 'time')
  return [
    ...equalities.flatMap((id): readonly Condition[] => {
      const value = query[id]
      return value === undefined || value === ''
        ? []
        : [{ is: 'text', field: fieldOf(id, 'text'), operator: '=', value: value.toWellFormed() }]
    }),
    ...(parent === undefined
      ? []
      : [{ is: 'text', field: fieldOf('parentObservationId', 'text'), operator: '=', value: parent.toWellFormed() } as const]),
    ...(isRoot === undefined ? [] : [{ is: 'boolean', field: fieldOf('isRootObservation', 'boolean'), value: isRoot } as const]),
    ...(environment.length === 0
      ? []
      : [
          {
            is: 'options',
            field: fieldOf('environment', 'text'),
            operator: 'any of',
            values: environment.map(each => each.toWellFormed()),
          } as const,
        ]),
    ...(from === undefined ? [] : [{ is: 'time', field: start, operator: '>=', value: checkedMicrosOf(from) } as const]),
    ...(to === undefined ? [] : [{ is: 'time', field: start, operator: '<', value: checkedMicrosOf(to) } as const]),
  ]
}

export function rangeOf(conditions: readonly Condition[]): TimeRange {
  let from: bigint | undefined
  let to: bigint | undefined
  for (const condition of conditions) {
    if (condition.is !== 'time' || condition.field.id !== 'startTime') continue
    const { operator, value } = condition
    const bound = operator === '>' || operator === '<=' ? value + 1n : value
    if (operator === '>' || operator === '>=') from = from === undefined || bound > from ? bound : from
    else to = to === undefined || bound < to ? bound : to
  }
  if (from !== undefined) return { from, to }
  return to === undefined ? { everyTime: 'A list without a range is read from its newest row on, until its page is full' } : { to }
}
