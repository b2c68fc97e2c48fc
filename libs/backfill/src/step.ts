// A step of the chain, as the walk sees it: one walk after the other over the rows of a table.
import type { Chunk } from './chunks.ts'
import type { Session } from './session.ts'
import type { Source } from './sources.ts'

export interface Scope {
  readonly session: Session
  /** Rows with an `event_ts` of this time or later belong to the live path. Milliseconds since the epoch. */
  readonly cutoffMs: number
  /**
   * Traces whose newest version is from this time or later have changed after the backfill. Undefined before that
   * stage.
   */
  readonly settledMs?: number | undefined
  /** Reads deletions since the previous call. */
  readonly refreshDenied?: () => Promise<void>
}

export interface Walk {
  readonly name: string
  readonly source: Source
  /** Runs before the first chunk, and again after an interruption. */
  prepare?(scope: Scope): Promise<void>
  /** Migrates the rows of the chunk. With `inDoubt` an earlier try may have left rows in only one of the tables. */
  bring(scope: Scope, chunk: Chunk, inDoubt: boolean): Promise<void>
}

/** A phase without chunks. Its statements run once, and again after an interruption. */
export interface Once {
  readonly name: string
  readonly source: null
  prepare(scope: Scope): Promise<void>
}

export type Phase = Walk | Once

/** SQL condition for rows of an old table before the cutoff. */
export const beforeCutoff = (eventTs: string, { cutoffMs }: Scope): string => `${eventTs} < fromUnixTimestamp64Milli(toInt64(${cutoffMs}))`

export const sinceCutoff = (eventTs: string, { cutoffMs }: Scope): string => `${eventTs} >= fromUnixTimestamp64Milli(toInt64(${cutoffMs}))`
