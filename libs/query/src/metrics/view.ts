// What a view of metrics is: dimensions to group by, measures to aggregate, and the rows that they are of.
import type { FilterField, MetadataField } from '../fields/kinds.ts'
import type { Condition } from '../filter/condition.ts'
import type { Source } from '../sql/select.ts'
import { type Sql, sql } from '../sql/sql.ts'

export interface Dimension {
  readonly name: string
  readonly kind: 'text' | 'number' | 'boolean' | 'list'
  /** Of a text, the empty one is no value. */
  readonly sql: Sql
  /** Where a row counts once for each element of a list: that list. `sql` is then what filters look at. */
  readonly exploded?: Sql
  /** Filters look at single elements: a row passes where one of them does, and where the query has the dimension, an element. */
  readonly elements?: true
  /** So many values that groups of them need an order and a limit. */
  readonly high?: true
  /** What it has to be joined with. */
  readonly join?: Join
  /** Read where texts are not cut. */
  readonly uncut?: true
}

export interface Measure {
  readonly name: string
  readonly numeric: boolean
  /** Null: no value. */
  readonly sql: Sql
  /** The dimension without which it has no meaning; its value of the exploded row is `of`. */
  readonly by?: { readonly dimension: string; readonly of: (element: Sql) => Sql }
  readonly join?: Join
}

export type Join = 'trace' | 'observation' | 'scores'

export interface RowsOf {
  readonly project: string
  readonly from: bigint
  readonly to: bigint
  readonly joins: ReadonlySet<Join>
  /** A dimension is of whole texts. */
  readonly uncut: boolean
  readonly conditions: readonly Condition[]
  readonly where: readonly Sql[]
}

export interface View {
  readonly dimensions: readonly Dimension[]
  readonly measures: readonly Measure[]
  readonly time: { readonly column: string; readonly sql: Sql; readonly us: Sql }
  readonly metadata: MetadataField
  /** Text of a key of the metadata, empty without it. A view without this has no dimensions `metadata.<key>`. */
  readonly metadataText?: (key: string) => Sql
  /** With its joins, and the conditions as they are there. */
  source(rows: RowsOf): Source
}

function notInMemory(): never {
  throw new TypeError('The fields of metrics are of the column store alone')
}

const described = { label: '', cost: 'scan', help: '', of: notInMemory } as const

/** What filters see of a dimension. */
export function filterFieldOf({ name, kind, sql: expression, exploded, elements }: Dimension): FilterField {
  if (elements) return { ...described, kind: 'text', id: name, sql: sql`element` }
  if (kind === 'list' || exploded !== undefined) return { ...described, kind: 'list', id: name, sql: exploded ?? expression }
  return { ...described, kind, id: name, sql: expression }
}

export const timeField = ({ column, sql: expression }: View['time']): FilterField => ({
  ...described,
  ...{ kind: 'time', id: column, sql: expression },
})

export const count: Measure = { name: 'count', numeric: true, sql: sql`1` }

const metadataPrefix = 'metadata.'

/** `metadata.<key>`: the text of that key; undefined for another name, and where the view has none. */
export function metadataDimension({ metadataText }: View, name: string): Dimension | undefined {
  if (metadataText === undefined || !name.startsWith(metadataPrefix)) return undefined
  return { name, kind: 'text', sql: metadataText(name.slice(metadataPrefix.length).toWellFormed()), uncut: true }
}
