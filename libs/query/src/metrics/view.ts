// A metrics view: dimensions by which rows can be grouped, measures that can be aggregated, and the source of the rows.
import type { FilterField, MetadataField } from '../fields/kinds.ts'
import type { Condition } from '../filter/condition.ts'
import type { Source } from '../sql/select.ts'
import { type Sql, sql } from '../sql/sql.ts'

export interface Dimension {
  readonly name: string
  readonly kind: 'text' | 'number' | 'boolean' | 'list'
  /** An empty text means that the dimension has no value. */
  readonly sql: Sql
  /** If set, a row is counted once for each element of this list. Filters on the dimension use `sql` instead of `exploded`. */
  readonly exploded?: Sql
  /**
   * True if filters test each element separately. A filter on elements selects a row if at least one of its elements matches. If the query
   * groups by this dimension, the elements that do not match are removed.
   */
  readonly elements?: true
  /** True for a dimension with many distinct values. A query that groups by a high-cardinality dimension needs an order and a limit. */
  readonly high?: true
  /** The join that the dimension needs. */
  readonly join?: Join
  /** True if the dimension must be read from the table with untruncated texts. */
  readonly uncut?: true
}

export interface Measure {
  readonly name: string
  readonly numeric: boolean
  /** Null: no value. */
  readonly sql: Sql
  /** A query with this measure must group by this dimension. `of` computes the measure for one element of the exploded list. */
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
   * Returns SQL for the text under a metadata key; the text is empty if the row has no such key. Without this function, the view has no
   * dimensions `metadata.<key>`.
   */
  readonly metadataText?: (key: string) => Sql
  /** Returns the source of the rows, with joins and conditions. */
  source(rows: RowsOf): Source
}

function notInMemory(): never {
  throw new TypeError('The fields of metrics exist only in the column store')
}

const described = { label: '', cost: 'scan', help: '', of: notInMemory } as const

/** Converts a dimension to a field for filters. */
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

/** Returns the dimension `metadata.<key>`; undefined for any other name, and for a view without metadata. */
export function metadataDimension({ metadataText }: View, name: string): Dimension | undefined {
  if (metadataText === undefined || !name.startsWith(metadataPrefix)) return undefined
  return { name, kind: 'text', sql: metadataText(name.slice(metadataPrefix.length).toWellFormed()), uncut: true }
}
