// The trace view's model of a trace. Rows and children are sorted by start.
import type { TraceColumns, TraceHead, TraceTree } from '@svc-server/api/web-traces/types'
import type { z } from 'zod'
import type { Packed } from './packed.ts'

export type WireTree = z.output<typeof TraceTree>
export type WireColumns = z.output<typeof TraceColumns>
export type Head = z.output<typeof TraceHead>

export const levels = ['DEBUG', 'DEFAULT', 'WARNING', 'ERROR'] as const
export const errorLevel = 3

/**
 * `rows` lists the children of all rows, in the order of their parents. The children of row i begin at index `begins[i]`. The roots come
 * last, as the children of an imaginary row after the last row.
 */
export interface Children {
  readonly begins: Int32Array
  readonly rows: Int32Array
}

/** Five or more equal leaves below a parent, shown as one row. */
export interface Groups {
  /** Index of each row's group. It is -1 for a row without a group. */
  readonly of: Int32Array
  /** First member of each group. The last number is the end of the last group. */
  readonly begins: Int32Array
  readonly members: Int32Array
  readonly p50Us: Float64Array
}

/** A piece of the critical path. `row` is -1 if no row was running during this piece. */
export interface Piece {
  readonly row: number
  readonly fromUs: number
  readonly toUs: number
}

/**
 * A gap is a long time in which a row ran, but none of its children did. `us` contains the start and the end of each gap, row by row. In
 * `us`, the gaps of a row begin at index 2 × `begins[row]`.
 */
export interface Gaps {
  readonly begins: Int32Array
  readonly us: Float64Array
}

interface PathPart {
  readonly name: string
  readonly us: number
}

/**
 * The time on the critical path. `parts` contains the time of rows without children, summed by name, longest first.
 * `nothingUs` is the remaining time, in which either no row was running, or the row on the path had children but did
 * not wait for any of them.
 */
export interface Waits {
  readonly parts: readonly PathPart[]
  readonly nothingUs: number
}

export interface TraceModel {
  readonly head: Head
  /** Number of rows, including the row `orphanage`. */
  readonly rows: number
  /** Index of the row that is added as the parent of all rows whose own parent is missing. -1 if no parent is missing. */
  readonly orphanage: number
  readonly maxRows: number
  readonly ids: Packed
  readonly texts: Packed
  readonly keySets: readonly (readonly number[])[]
  readonly names: Int32Array
  readonly types: Int32Array
  readonly levels: Uint8Array
  readonly models: Int32Array
  readonly messages: Int32Array
  readonly keys: Int32Array
  /** Parent of each row. It is -1 for a root. */
  readonly parents: Int32Array
  readonly children: Children
  readonly depths: Int32Array
  /** `preorder` has the rows from top to bottom. `places` has each row's position in this order. */
  readonly preorder: Int32Array
  readonly places: Int32Array
  /** For each row: the number of rows in its subtree, including the row itself. */
  readonly sizes: Int32Array
  /** Microseconds since the start of the trace. */
  readonly startsUs: Float64Array
  readonly endsUs: Float64Array
  readonly isRunning: Uint8Array
  readonly firstTokensUs: Float64Array
  readonly totalUs: number
  /** Time in which none of the row's children ran. */
  readonly selfUs: Float64Array
  /** Cost of each row itself. It is NaN for a row without a cost. */
  readonly ownCosts: Float64Array
  readonly costs: Float64Array
  readonly ownTokens: Float64Array
  readonly tokens: Float64Array
  /** For each row: the number of errors in its subtree, including the row itself. */
  readonly errors: Int32Array
  /** Number of descendants that the server has not sent. The sums of a row include these descendants. */
  readonly hidden: Int32Array
  readonly isOnPath: Uint8Array
  readonly waits: Waits
  /** Failed rows, sorted from top to bottom. */
  readonly failed: Int32Array
  readonly groups: Groups
  /** Gaps that take at least 2 % of the trace's duration. */
  readonly gaps: Gaps
}

/** The worker does not send the critical path (`path`) to the page, because sending tens of thousands of objects would be slow. */
export interface BuiltModel extends TraceModel {
  readonly path: readonly Piece[]
}

/** -1 for an unknown id. */
export function rowOf({ ids, rows, orphanage }: TraceModel, textOf: (packed: Packed, index: number) => string, id: string): number {
  const last = orphanage < 0 ? rows : rows - 1
  for (let row = 0; row < last; row++) if (textOf(ids, row) === id) return row
  return -1
}
