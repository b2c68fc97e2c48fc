// The view's model of a trace: lists of numbers by row, built once in a worker. Rows and children are in the order of their starts.
import type { TraceColumns, TraceHead, TraceTree } from '@svc-server/api/web-traces/types'
import type { z } from 'zod'
import type { Packed } from './packed.ts'

export type WireTree = z.output<typeof TraceTree>
export type WireColumns = z.output<typeof TraceColumns>
export type Head = z.output<typeof TraceHead>

export const levels = ['DEBUG', 'DEFAULT', 'WARNING', 'ERROR'] as const
export const errorLevel = 3

/** Children of all rows in one list. The entry after the entry of the last row contains the roots. */
export interface Children {
  readonly begins: Int32Array
  readonly rows: Int32Array
}

/** Five or more equal leaves below one parent, shown as one row. */
export interface Groups {
  /** The group's index by row; -1 without a group. */
  readonly of: Int32Array
  /** Index of the first member of each group, and one more number for the end of the last group. */
  readonly begins: Int32Array
  readonly members: Int32Array
  readonly p50Us: Float64Array
}

/** A piece of the critical path: the trace waited for `row`, or for no row (-1). */
export interface Piece {
  readonly row: number
  readonly fromUs: number
  readonly toUs: number
}

/** Long times in which rows waited for no child, as pairs of start and end. The pairs of a row begin at twice its entry in `begins`. */
export interface Gaps {
  readonly begins: Int32Array
  readonly us: Float64Array
}

interface PathPart {
  readonly name: string
  readonly us: number
}

/** Waits by name, longest first. `nothingUs` is the time in which rows with children waited for no child. */
export interface Waits {
  readonly parts: readonly PathPart[]
  readonly nothingUs: number
}

export interface TraceModel {
  readonly head: Head
  /** Number of rows, including the orphanage if there is one. */
  readonly rows: number
  /** Index of the row "parent not here yet", which is not an observation; -1 when no parent is missing. */
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
  /** Rows from top to bottom, and the position of each row in that order. */
  readonly preorder: Int32Array
  readonly places: Int32Array
  /** Number of rows below each row, including itself. */
  readonly sizes: Int32Array
  /** Microseconds after the start of the trace. */
  readonly startsUs: Float64Array
  readonly endsUs: Float64Array
  readonly isRunning: Uint8Array
  readonly firstTokensUs: Float64Array
  readonly totalUs: number
  /** For each row, the time in which no child of the row runs. */
  readonly selfUs: Float64Array
  /** NaN: none. */
  readonly ownCosts: Float64Array
  readonly costs: Float64Array
  readonly ownTokens: Float64Array
  readonly tokens: Float64Array
  /** Number of errors of the row and of the rows below it. */
  readonly errors: Int32Array
  readonly isOnPath: Uint8Array
  /** The rows that the trace waited for, with their times. */
  readonly waits: Waits
  /** Rows with an error, from top to bottom. */
  readonly failed: Int32Array
  readonly groups: Groups
  /** Times of at least 2 % of the trace in which a row waits for no child. */
  readonly gaps: Gaps
}

/** The model with its critical path. The path stays in the worker, because sending tens of thousands of objects takes long. */
export interface BuiltModel extends TraceModel {
  readonly path: readonly Piece[]
}

/** Index of the row with this id; -1 for an unknown id. */
export function rowOf({ ids, rows, orphanage }: TraceModel, textOf: (packed: Packed, index: number) => string, id: string): number {
  const last = orphanage < 0 ? rows : rows - 1
  for (let row = 0; row < last; row++) if (textOf(ids, row) === id) return row
  return -1
}
