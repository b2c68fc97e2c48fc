// A trace as the view works with it: lists of numbers by row, made once in a worker. Rows are in the order of their starts; children too.
import type { TraceColumns, TraceHead, TraceTree } from '@svc-server/api/web-traces/types'
import type { z } from 'zod'
import type { Packed } from './packed.ts'

export type WireTree = z.output<typeof TraceTree>
export type WireColumns = z.output<typeof TraceColumns>
export type Head = z.output<typeof TraceHead>

export const levels = ['DEBUG', 'DEFAULT', 'WARNING', 'ERROR'] as const
export const errorLevel = 3

/** Children of every row, behind each other; of the number after the last row the roots. */
export interface Children {
  readonly begins: Int32Array
  readonly rows: Int32Array
}

/** Five or more equal leaves below one parent, shown as one row. */
export interface Groups {
  /** By row: the number of its group; -1 without one. */
  readonly of: Int32Array
  /** By group: where its members begin, with one number more. */
  readonly begins: Int32Array
  readonly members: Int32Array
  readonly p50Us: Float64Array
}

/** A piece of the critical path: `row` is what the trace waited for; -1: nothing. */
export interface Piece {
  readonly row: number
  readonly fromUs: number
  readonly toUs: number
}

/** Long waits of rows for nothing of their children: from and to behind each other, those of a row from twice its begin on. */
export interface Gaps {
  readonly begins: Int32Array
  readonly us: Float64Array
}

interface PathPart {
  readonly name: string
  readonly us: number
}

/** By name, longest first; `nothing`: rows that have children waited for none of them. */
export interface Waits {
  readonly parts: readonly PathPart[]
  readonly nothingUs: number
}

export interface TraceModel {
  readonly head: Head
  /** With the one below, if there is one. */
  readonly rows: number
  /** The row "parent not here yet", which is no observation; -1: no observation lacks its parent. */
  readonly orphanage: number
  /** Most rows that the server sends. */
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
  /** Rows from top to bottom, and the place of each among them. */
  readonly preorder: Int32Array
  readonly places: Int32Array
  /** Rows below each one and itself. */
  readonly sizes: Int32Array
  /** Microseconds after the start of the trace. */
  readonly startsUs: Float64Array
  readonly endsUs: Float64Array
  readonly isRunning: Uint8Array
  readonly firstTokensUs: Float64Array
  readonly totalUs: number
  /** Time in which no child runs. */
  readonly selfUs: Float64Array
  /** NaN: none. */
  readonly ownCosts: Float64Array
  readonly costs: Float64Array
  readonly ownTokens: Float64Array
  readonly tokens: Float64Array
  /** Errors of the row and below. */
  readonly errors: Int32Array
  readonly isOnPath: Uint8Array
  /** What the trace waited for. */
  readonly waits: Waits
  /** Rows with an error, from top to bottom. */
  readonly failed: Int32Array
  readonly groups: Groups
  /** By row, where it waits for no child for 2 % of the trace or more. */
  readonly gaps: Gaps
}

/** With what the view needs no more: objects by the ten thousand take long to come from a worker. */
export interface BuiltModel extends TraceModel {
  readonly path: readonly Piece[]
}

/** Ids that no observation has are -1. */
export function rowOf({ ids, rows, orphanage }: TraceModel, textOf: (packed: Packed, index: number) => string, id: string): number {
  const last = orphanage < 0 ? rows : rows - 1
  for (let row = 0; row < last; row++) if (textOf(ids, row) === id) return row
  return -1
}
