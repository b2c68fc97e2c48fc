// A step is a list of phases. Most phases walk over the rows of a table.
import type { Chunk } from './chunks.ts'
import type { Session } from './session.ts'
import type { Source } from './sources.ts'

export interface Scope {
  readonly session: Session
  /** Milliseconds since the epoch. Rows whose `event_ts` is at or after this time belong to the live path. */
  readonly cutoffMs: number
  /**
   * The events of a trace take values from other rows. If one of these other rows changed at or after `settledMs`, the proof accepts that
   * the trace's events differ from their expected values. Undefined until the backfill collects late changes.
   */
  readonly settledMs?: number | undefined
  /**
   * Copies new deletions from the relational store to the column store. A deletion is new if it has become visible since the previous call.
   */
  readonly refreshDenied?: () => Promise<void>
}

export interface Walk {
  readonly name: string
  readonly source: Source
  /** Called before the first chunk, and again after an interruption. */
  prepare?(scope: Scope): Promise<void>
  /** Processes a chunk. `inDoubt` is true if an earlier try may have written rows to only one of the two events tables. */
  bring(scope: Scope, chunk: Chunk, inDoubt: boolean): Promise<void>
}

/** A phase without chunks. After an interruption, the whole phase runs again. */
export interface Once {
  readonly name: string
  readonly source: null
  prepare(scope: Scope): Promise<void>
}

export type Phase = Walk | Once

/** Returns an SQL condition that is true only for rows from before the cutoff. */
export const beforeCutoff = (eventTs: string, { cutoffMs }: Scope): string => `${eventTs} < fromUnixTimestamp64Milli(toInt64(${cutoffMs}))`

export const sinceCutoff = (eventTs: string, { cutoffMs }: Scope): string => `${eventTs} >= fromUnixTimestamp64Milli(toInt64(${cutoffMs}))`
