// A metrics view: dimensions by which rows can be grouped, measures that can be aggregated, and the source of the rows.
import type { FilterField, MetadataField } from '../fields/kinds.ts'
import type { Condition } from '../filter/condition.ts'
import type { Source } from '../sql/select.ts'
import { type Sql, sql } from '../sql/sql.ts'

export interface Dimension {
  readonly name: string
  readonly kind: 'text' | 'number' | 'boolean' | 'list'
  /** An empty text means that there is no value. */
  readonly sql: Sql
  /** The list to explode if a row is counted once per element. Filters then read `sql`. */
  readonly exploded?: Sql
  /**
   * True if filters test each element separately. A row is selected if one of its elements matches. If the query groups by the dimension,
   * the other elements are removed.
   */
  readonly elements?: true
  /** True for a dimension of high cardinality. Grouping by such a dimension requires an order and a limit. */
  readonly high?: true
  /** The join that this dimension needs. */
  readonly join?: Join
  /** True if the dimension must be read from the table with untruncated texts. */
  readonly uncut?: true
}

export interface Measure {
  readonly name: string
  readonly numeric: boolean
  /** Null: no value. */
  readonly sql: Sql
  /** The dimension that the query must have to use this measure. `of` computes the measure for an exploded row. */
  readonly by?: { readonly dimension: string; readonly of: (element: Sql) => Sql }
  readonly join?: Join
}

export type Join = 'trace' | 'observation' | 'scores'

export interface RowsOf {
  readonly project: string
  readonly from: bigint
  readonly to: bigint
  readonly joins: ReadonlySet<Join>
  /** True if a dimension needs untruncated texts. */
  readonly uncut: boolean
  readonly conditions: readonly Condition[]
  readonly where: readonly Sql[]
}

export interface View {
  readonly dimensions: readonly Dimension[]
  readonly measures: readonly Measure[]
  readonly time: { readonly column: string; readonly sql: Sql; readonly us: Sql }
  readonly metadata: MetadataField
  /**
   * SQL for the text of a metadata key; empty if the row has no such key. Without this function, a view has no dimensions `metadata.<key>`.
   */
  readonly metadataText?: (key: string) => Sql
  /** The rows with their joins, under the given conditions. */
  source(rows: RowsOf): Source
}

function notInMemory(): never {
  throw new TypeError('The fields of metrics are of the column store alone')
}

const described = { label: '', cost: 'scan', help: '', of: notInMemory } as const

/** A dimension as filters use it. */
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

/** The dimension `metadata.<key>`; undefined for another name or for a view without metadata. */
export function metadataDimension({ metadataText }: View, name: string): Dimension | undefined {
  if (metadataText === undefined || !name.startsWith(metadataPrefix)) return undefined
  return { name, kind: 'text', sql: metadataText(name.slice(metadataPrefix.length).toWellFormed()), uncut: true }
}
