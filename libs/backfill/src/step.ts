// What a step of the chain is to who walks it: one walk after the other over the rows of a table.
import type { Chunk } from './chunks.ts'
import type { Session } from './session.ts'
import type { Source } from './sources.ts'

export interface Scope {
  readonly session: Session
  /** Rows with an `event_ts` of this time or later are the live path's. Milliseconds since the epoch. */
  readonly cutoffMs: number
  /** Traces whose newest version is of this time or later changed after the backfill. Undefined: it has not come so far. */
  readonly settledMs?: number | undefined
  /** Asks what was deleted since. */
  readonly refreshDenied?: () => Promise<void>
}

export interface Walk {
  readonly name: string
  readonly source: Source
  /** Before its first chunk; again when it did not end. */
  prepare?(scope: Scope): Promise<void>
  /** Brings the rows of the chunk over. `inDoubt`: an earlier try may have left rows in one table and not in the other. */
  bring(scope: Scope, chunk: Chunk, inDoubt: boolean): Promise<void>
}

/** Has no chunks: its statements are done once, and again when it did not end. */
export interface Once {
  readonly name: string
  readonly source: null
  prepare(scope: Scope): Promise<void>
}

export type Phase = Walk | Once

/** Condition of rows of an old table. */
export const beforeCutoff = (eventTs: string, { cutoffMs }: Scope): string => `${eventTs} < fromUnixTimestamp64Milli(toInt64(${cutoffMs}))`

export const sinceCutoff = (eventTs: string, { cutoffMs }: Scope): string => `${eventTs} >= fromUnixTimestamp64Milli(toInt64(${cutoffMs}))`
