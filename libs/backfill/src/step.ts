// Types of a step's phases. A step consists of phases that run one after the other, and most phases walk over the rows of a table.
import type { Chunk } from './chunks.ts'
import type { Session } from './session.ts'
import type { Source } from './sources.ts'

export interface Scope {
  readonly session: Session
  /** Time in milliseconds since the epoch. Rows whose `event_ts` is at or after this time belong to the live path. */
  readonly cutoffMs: number
  /** A trace whose newest version is at or after this time has changed after the backfill. Undefined until late changes are collected. */
  readonly settledMs?: number | undefined
  /** Copies the deletions that were made since the previous call. */
  readonly refreshDenied?: () => Promise<void>
}

export interface Walk {
  readonly name: string
  readonly source: Source
  /** Called before the first chunk and again after an interruption. */
  prepare?(scope: Scope): Promise<void>
  /** Migrates the rows of the chunk. `inDoubt`: an earlier try could have written rows to only one of the two events tables. */
  bring(scope: Scope, chunk: Chunk, inDoubt: boolean): Promise<void>
}

/** A phase without chunks. The phase runs its statements once; after an interruption, it repeats all of them. */
export interface Once {
  readonly name: string
  readonly source: null
  prepare(scope: Scope): Promise<void>
}

export type Phase = Walk | Once

/** SQL condition for rows of an old table from before the cutoff. */
export const beforeCutoff = (eventTs: string, { cutoffMs }: Scope): string => `${eventTs} < fromUnixTimestamp64Milli(toInt64(${cutoffMs}))`

export const sinceCutoff = (eventTs: string, { cutoffMs }: Scope): string => `${eventTs} >= fromUnixTimestamp64Milli(toInt64(${cutoffMs}))`
