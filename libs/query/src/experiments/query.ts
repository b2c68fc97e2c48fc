// Parameters that both experiment lists accept. A filter condition on a column replaces the parameter for this column.
import type { FilterField, TextField } from '../fields/kinds.ts'
import { commaList } from '../fields/wire.ts'
import type { Condition } from '../filter/condition.ts'
import { readFilter } from '../filter/read.ts'
import { filterColumns } from '../filter/resolve.ts'
import { badShape } from '../invalid-query.ts'
import { checkedMicrosOf } from '../times.ts'

export interface PagedQuery {
  /** ISO 8601, checked. */
  readonly fromStartTime: string
  readonly toStartTime?: string | undefined
  readonly fields?: string | undefined
  readonly limit?: number | undefined
  readonly scoreLimit?: number | undefined
  readonly cursor?: string | undefined
  readonly filter?: string | undefined
}

export interface Asked<Group extends string> {
  readonly range: { readonly from: bigint; readonly to: bigint | undefined }
  readonly groups: ReadonlySet<Group>
  readonly limit: number
  readonly scoreLimit: number
  readonly conditions: readonly Condition[]
}

const maxLimit = 100
const maxScoreLimit = 50

interface Rules<Group extends string> {
  readonly groups: readonly Group[]
  /** A query that names no groups gets the fields of these groups. */
  readonly usual: readonly Group[]
  readonly fields: readonly TextField[]
}

/** `listed` maps field ids to comma-separated lists of values. Throws InvalidQuery. */
export function asked<Group extends string>(
  query: PagedQuery,
  listed: Readonly<Record<string, string | undefined>>,
  { groups, usual, fields }: Rules<Group>,
): Asked<Group> {
  const { limit = 50, scoreLimit = maxScoreLimit, fromStartTime, toStartTime } = query
  checkWhole('limit', limit, maxLimit)
  checkWhole('scoreLimit', scoreLimit, maxScoreLimit)
  const filter = readFilter(query.filter, filterColumns(fields))
  const filtered = new Set(filter.map(({ field }) => field.id))
  return {
    range: { from: checkedMicrosOf(fromStartTime), to: toStartTime === undefined ? undefined : checkedMicrosOf(toStartTime) },
    groups: groupsOf(query.fields, groups, usual),
    limit,
    scoreLimit,
    conditions: [...fields.filter(({ id }) => !filtered.has(id)).flatMap(field => inList(field, listed[field.id])), ...filter],
  }
}

function checkWhole(name: string, value: number, max: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= max) return
  throw badShape({ path: [name], message: `Expected a whole number from 1 to ${max}.` })
}

function inList(field: TextField, names: string | undefined): readonly Condition[] {
  const values = commaList(names).map(name => name.toWellFormed())
  return values.length === 0 ? [] : [{ is: 'options', field, operator: 'any of', values }]
}

function groupsOf<Group extends string>(names: string | undefined, groups: readonly Group[], usual: readonly Group[]): ReadonlySet<Group> {
  const listed = commaList(names)
  if (listed.length === 0) return new Set(usual)
  return new Set(
    listed.map(name => {
      const group = groups.find(each => each === name)
      if (group === undefined) throw badShape({ path: ['fields'], message: `Expected ${groups.join(', ')}.` })
      return group
    }),
  )
}

function notInMemory(): never {
  throw new TypeError('The fields of experiments exist only in the column store')
}

export const column = (id: string, label: string, value: Pick<FilterField & TextField, 'sql'>): TextField => ({
  ...{ kind: 'text', id, label, cost: 'scan', help: `${label}.`, of: notInMemory },
  sql: value.sql,
})
