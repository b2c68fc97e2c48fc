// The trace view's model of a trace. A worker builds the model once, as lists of numbers by row. Rows and children are sorted by start.
import type { TraceColumns, TraceHead, TraceTree } from '@svc-server/api/web-traces/types'
import type { z } from 'zod'
import type { Packed } from './packed.ts'

export type WireTree = z.output<typeof TraceTree>
export type WireColumns = z.output<typeof TraceColumns>
export type Head = z.output<typeof TraceHead>

export const levels = ['DEBUG', 'DEFAULT', 'WARNING', 'ERROR'] as const
export const errorLevel = 3

/** The children of all rows in one list. The last entry is for the roots. */
export interface Children {
  readonly begins: Int32Array
  readonly rows: Int32Array
}

/** Groups of five or more equal leaves below a parent, each shown as one row. */
export interface Groups {
  /** For each row, the index of its group; -1 without a group. */
  readonly of: Int32Array
  /** For each group, the index of its first member. The list ends with the end of the last group as an additional number. */
  readonly begins: Int32Array
  readonly members: Int32Array
  readonly p50Us: Float64Array
}

/** A piece of the critical path, in which the trace waited for `row`; -1 means no row. */
export interface Piece {
  readonly row: number
  readonly fromUs: number
  readonly toUs: number
}

/**
 * Long times in which a row did not wait for a child. `us` contains start and end of each time, row by row. `begins[row]` is the number of
 * times before the row, so the row's first start is `us[2 * begins[row]]`.
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
 * Names of rows on the critical path, with the total time per name, longest first. `nothingUs` is the time in which rows with children did
 * not wait for any child.
 */
export interface Waits {
  readonly parts: readonly PathPart[]
  readonly nothingUs: number
}

export interface TraceModel {
  readonly head: Head
  /** Number of rows. Includes the orphanage row, if there is one. */
  readonly rows: number
  /** Index of the row "parent not here yet", which is not an observation; -1 if no parent is missing. */
  readonly orphanage: number
  /** Maximum number of rows that the server sends. */
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
  /** -1: a root. */
  readonly parents: Int32Array
  readonly children: Children
  readonly depths: Int32Array
  /** The rows from top to bottom, and each row's position in this order. */
  readonly preorder: Int32Array
  readonly places: Int32Array
  /** For each row, the number of rows in its subtree, including itself. */
  readonly sizes: Int32Array
  /** For each row, its start in microseconds since the start of the trace. */
  readonly startsUs: Float64Array
  readonly endsUs: Float64Array
  readonly isRunning: Uint8Array
  readonly firstTokensUs: Float64Array
  readonly totalUs: number
  /** For each row, the time in which none of its children ran. */
  readonly selfUs: Float64Array
  /** NaN: none. */
  readonly ownCosts: Float64Array
  readonly costs: Float64Array
  readonly ownTokens: Float64Array
  readonly tokens: Float64Array
  /** For each row, the number of errors in its subtree, including itself. */
  readonly errors: Int32Array
  /** For each row, the number of its descendants that the server has not sent. The sums include them. */
  readonly hidden: Int32Array
  readonly isOnPath: Uint8Array
  /** The rows of the critical path, with their times. */
  readonly waits: Waits
  /** Rows with an error, from top to bottom. */
  readonly failed: Int32Array
  readonly groups: Groups
  /** Times in which a row did not wait for a child, of at least 2 % of the trace's duration. */
  readonly gaps: Gaps
}

/** The model with its critical path. The critical path stays in the worker, because sending tens of thousands of objects would be slow. */
export interface BuiltModel extends TraceModel {
  readonly path: readonly Piece[]
}

/** Index of the row with this id; -1 for an unknown id. */
export function rowOf({ ids, rows, orphanage }: TraceModel, textOf: (packed: Packed, index: number) => string, id: string): number {
  const last = orphanage < 0 ? rows : rows - 1
  for (let row = 0; row < last; row++) if (textOf(ids, row) === id) return row
  return -1
}
