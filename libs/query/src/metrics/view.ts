// A metrics view: its dimensions, its measures, and the source of its rows.
import type { FilterField, MetadataField } from '../fields/kinds.ts'
import type { Condition } from '../filter/condition.ts'
import type { Source } from '../sql/select.ts'
import { type Sql, sql } from '../sql/sql.ts'

export interface Dimension {
  readonly name: string
  readonly kind: 'text' | 'number' | 'boolean' | 'list'
  /** If the expression returns an empty text, the row has no value. */
  readonly sql: Sql
  /** SQL for a list. If a query groups by this dimension, a row counts once for each element of the list. Filters do not multiply rows. */
  readonly exploded?: Sql
  /**
   * If true, a filter tests each element of the list separately. A row is selected if at least one element matches. A query that groups
   * by this dimension leaves out the elements that do not match.
   */
  readonly elements?: true
  /** True for a dimension with many distinct values. A query that groups by this dimension must have an order and a limit. */
  readonly high?: true
  readonly join?: Join
  /** If true, the dimension needs untruncated texts. */
  readonly uncut?: true
}

export interface Measure {
  readonly name: string
  readonly numeric: boolean
  /** The expression is null in a row without a value. */
  readonly sql: Sql
  /** If set, the query must also have this dimension. `of` computes the measure for one element of the dimension's list. */
  readonly by?: { readonly dimension: string; readonly of: (element: Sql) => Sql }
  readonly join?: Join
}

export type Join = 'trace' | 'observation' | 'scores'

export interface RowsOf {
  readonly project: string
  readonly from: bigint
  readonly to: bigint
  readonly joins: ReadonlySet<Join>
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
   * Returns SQL for the text under a metadata key. The text is empty if the row has no such key. Without this function, the view has no
   * dimensions `metadata.<key>`.
   */
  readonly metadataText?: (key: string) => Sql
  source(rows: RowsOf): Source
}

function notInMemory(): never {
  throw new TypeError('The fields of metrics exist only in the column store')
}

const described = { label: '', cost: 'scan', help: '', of: notInMemory } as const

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

/** Returns undefined if the name is not `metadata.<key>`, and for a view without metadata. */
export function metadataDimension({ metadataText }: View, name: string): Dimension | undefined {
  if (metadataText === undefined || !name.startsWith(metadataPrefix)) return undefined
  return { name, kind: 'text', sql: metadataText(name.slice(metadataPrefix.length).toWellFormed()), uncut: true }
}
