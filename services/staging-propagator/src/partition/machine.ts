// The state machine of one staging partition under one owner. It has five states, and functions that lead from one state to the next. This
// module does no input or output and never waits, so tests can run every path without a log.
//
//   recovering ─► publishing ─► publishing, range by range ─► repairing
//        │                                                       ▲ │ ▲
//        └───────────────────────────────────────────────────────┘ │ └── idle, at the next turn
//                  repairing, until nothing is pending or the budget is spent
//                       │
//                       └─► filling ─► repairing    more is to be read
//                                   ├► publishing   the window is closed
//                                   └► idle         everything is read, no window is open
//
// A failure in any state leads to the state `recovering`. The owner then compares the group's commit with the newest commit that it knows
// of. If the two commits are equal, `recovering` leads back to the state that the failure interrupted.
import type { CommittedOffset, NewRecord } from '@svc-server/log'
import type { Decisions } from '../windows/decisions.ts'
import type { OpenWindow } from '../windows/window.ts'
import { isOlder, type Progress, parseProgress } from './progress.ts'

export type ClosedBy = 'record' | 'time' | 'size' | 'restart'

export interface ClosedWindow {
  readonly window: OpenWindow
  /** The last offset of the window. The log can lack a record at this offset. */
  readonly last: number
  readonly closedBy: ClosedBy
  readonly decisions: Decisions
}

/** The committed position of the consumer group, and the read position of this owner. */
export interface Standing {
  readonly committed: CommittedOffset | undefined
  readonly progress: Progress
  /** Offset of the first record that is not published. */
  readonly published: number
  /** Offset of the next record to read into a window. */
  readonly position: number
}

/** Facts that stay true whether or not a commit succeeds. */
export interface Learned {
  /** The newest `trace.attributes` record that this owner has committed. */
  readonly lastAttributes: NewRecord | undefined
  /** The end of the partition is at or after this offset. */
  readonly knownEnd: number
  /** Average bytes of a staged record, measured over recent records. */
  readonly recordBytes: number
}

export interface Recovering {
  readonly kind: 'recovering'
  readonly learned: Learned
  readonly committed: CommittedOffset | undefined
  /**
   * The state that a failure interrupted. If the group's commit is still equal to `committed`, the owner returns to this state. Null if the
   * owner must begin at the committed offset.
   */
  readonly interrupted: Working | null
}

/** Before each read, the owner applies the changelog, and publishes repairs of earlier windows. */
export interface Repairing {
  readonly kind: 'repairing'
  readonly learned: Learned
  readonly standing: Standing
  readonly window: OpenWindow | null
  /** True if the changelog has records of this partition that the state has not applied. */
  readonly isBehind: boolean
}

export interface Filling {
  readonly kind: 'filling'
  readonly learned: Learned
  readonly standing: Standing
  /** The open window; null if the next record opens a window. */
  readonly window: OpenWindow | null
}

export interface Publishing {
  readonly kind: 'publishing'
  readonly learned: Learned
  readonly standing: Standing
  readonly window: ClosedWindow
}

export interface Idle {
  readonly kind: 'idle'
  readonly learned: Learned
  readonly standing: Standing
}

export type Working = Repairing | Filling | Publishing | Idle
export type State = Recovering | Working

const nothingLearned: Learned = { lastAttributes: undefined, knownEnd: 0, recordBytes: 4096 }

/** `end` is the high watermark of the partition. */
export const assigned = (committed: CommittedOffset | undefined, end: number): Recovering => ({
  kind: 'recovering',
  learned: { ...nothingLearned, knownEnd: end },
  committed,
  interrupted: null,
})

/** Returns the state that follows a failure. It is unknown whether the interrupted work was done, so the owner assumes that it was not. */
export const failed = (state: State): Recovering =>
  state.kind === 'recovering'
    ? state
    : { kind: 'recovering', learned: state.learned, committed: state.standing.committed, interrupted: state }

/**
 * Compares the group's commit with the newest commit that this owner knows, and returns the next state. An attempt to commit may have
 * failed. If the group's commit still equals the known commit, the log did not store the attempted commit. The records of the attempt are
 * then still in memory, and the owner tries the commit again. Returns null if the group's commit is older than the known commit. An
 * owner that resumed from the older commit would publish committed records again.
 */
export function located(state: Recovering, found: CommittedOffset | undefined): State | null {
  const { committed: known, interrupted } = state
  if (isOlder(found, known)) return null
  const isKnown = found?.offset === known?.offset && found?.metadata === known?.metadata
  return isKnown && interrupted !== null ? interrupted : { ...state, committed: found, interrupted: null }
}

/** If the partition has no commit, the owner begins at the low watermark. */
export function standingAt(committed: CommittedOffset | undefined, lowWatermark: number): Standing {
  const progress = parseProgress(committed)
  const published = progress.published ?? committed?.offset ?? lowWatermark
  return { committed, progress, published, position: published }
}

/** Returns the window that the commit names, if only a part of this window is published. Otherwise, returns null. */
export const unfinishedWindow = ({ progress: { window }, published }: Standing): Progress['window'] =>
  window !== null && published <= window.last ? window : null

/** Returns the end of the window that the commit completed. Returns undefined if the window is not completely published. */
export const publishedWindowEnd = ({ progress: { window }, published }: Standing): number | undefined =>
  window !== null && published > window.last ? window.endMs : undefined

/**
 * Returns the state that follows `Recovering`, after the owner has applied the whole changelog. `window` is the window whose publication
 * was interrupted; the owner has read the records of this window again. `window` is null if no publication was interrupted.
 */
export function recovered({ learned }: Recovering, standing: Standing, window: ClosedWindow | null): Publishing | Repairing {
  if (window === null) return { kind: 'repairing', learned, standing, window, isBehind: false }
  return { kind: 'publishing', learned, standing: { ...standing, position: window.last + 1 }, window }
}

export const caughtUp = (state: Repairing): Repairing => ({ ...state, isBehind: false })

export interface Commit {
  readonly committed: CommittedOffset
  readonly progress: Progress
  /** The newest `trace.attributes` record in the transaction. */
  readonly lastAttributes: NewRecord | undefined
}

const withCommit = (learned: Learned, { lastAttributes }: Commit): Learned => (lastAttributes ? { ...learned, lastAttributes } : learned)

export const repaired = ({ learned, standing, window }: Repairing, commit: Commit): Repairing => ({
  kind: 'repairing',
  learned: withCommit(learned, commit),
  standing: { ...standing, committed: commit.committed, progress: commit.progress },
  window,
  isBehind: true,
})

/** Returns the state after the repairs. The state is the same whether all repairs are done or the budget for repairs is used up. */
export const readyToFill = ({ learned, standing, window }: Repairing): Filling => ({ kind: 'filling', learned, standing, window })

export interface Filled {
  /** The window that is open after the owner has read these records; null if no window is open. */
  readonly window: OpenWindow | null
  readonly position: number
  readonly knownEnd: number
  readonly recordBytes: number
}

const withFilled = ({ learned, standing }: Filling, { position, knownEnd, recordBytes }: Filled) => ({
  learned: { ...learned, knownEnd, recordBytes },
  standing: { ...standing, position },
})

/** Returns the state that follows a read if the partition has more records. In this state, repairs run before the next read. */
export const readOn = (state: Filling, filled: Filled): Repairing => ({
  kind: 'repairing',
  ...withFilled(state, filled),
  window: filled.window,
  isBehind: false,
})

/** Returns the state that follows when the window is complete. The window contains only records before `position`. */
export const closed = (state: Filling, filled: Filled, window: ClosedWindow): Publishing => ({
  kind: 'publishing',
  ...withFilled(state, filled),
  window,
})

/** Returns the state after a read that has reached the end of the partition while no window was open. */
export const exhausted = (state: Filling, filled: Filled): Idle => ({ kind: 'idle', ...withFilled(state, filled) })

/** Returns the state after the owner has published those records of the window whose offsets are below `end`. */
export function published({ learned, standing, window }: Publishing, commit: Commit, end: number): Publishing | Repairing {
  const now = {
    learned: withCommit(learned, commit),
    standing: { ...standing, committed: commit.committed, progress: commit.progress, published: end },
  }
  return end > window.last ? { kind: 'repairing', ...now, window: null, isBehind: true } : { kind: 'publishing', ...now, window }
}

/** Returns the state after the owner has committed the end of the partition. The commit also covers offsets without records at this end. */
export const settled = ({ learned, standing }: Idle, committed: CommittedOffset, progress: Progress): Idle => ({
  kind: 'idle',
  learned,
  standing: { committed, progress, published: standing.position, position: standing.position },
})

/** Returns the state with which an idle owner begins its next turn. */
export const awoken = ({ learned, standing }: Idle): Repairing => ({ kind: 'repairing', learned, standing, window: null, isBehind: false })

/** Monotonic time at which the current window was opened; null if no window is open. */
export function openSince(state: State): number | null {
  switch (state.kind) {
    case 'recovering':
      return state.interrupted === null ? null : openSince(state.interrupted)
    case 'publishing':
      return state.window.window.openedAt
    case 'repairing':
    case 'filling':
      return state.window?.openedAt ?? null
    case 'idle':
      return null
  }
}
