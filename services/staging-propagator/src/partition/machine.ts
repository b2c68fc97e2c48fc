// The life of one staging partition under one owner, drawn: five states, and functions from one to the next.
// Nothing here reads, waits or writes, so every way through it can be walked without a log.
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
// From every state a failure leads to recovering, which leads back when nothing was committed meanwhile.
import type { CommittedOffset, NewRecord } from '@svc-server/log'
import type { Decisions } from '../windows/decisions.ts'
import type { OpenWindow } from '../windows/window.ts'
import { isOlder, type Progress, parseProgress } from './progress.ts'

export type ClosedBy = 'record' | 'time' | 'size' | 'restart'

export interface ClosedWindow {
  readonly window: OpenWindow
  /** Last offset; it may be a hole. */
  readonly last: number
  readonly closedBy: ClosedBy
  readonly decisions: Decisions
}

/** What the group has committed, and where that puts this owner. */
export interface Standing {
  readonly committed: CommittedOffset | undefined
  /** As `committed` says. */
  readonly progress: Progress
  /** First offset that is not published. */
  readonly published: number
  /** Next offset to be read into a window. */
  readonly position: number
}

/** What was learnt on the way, and holds whatever becomes of a commit. */
export interface Learnt {
  /** The newest record of trace.attributes that this owner has committed. */
  readonly lastAttributes: NewRecord | undefined
  /** The partition goes at least so far: an answer that does not show it yet is behind. */
  readonly knownEnd: number
  /** Bytes of a staged record, as they have been lately. */
  readonly recordBytes: number
}

export interface Recovering {
  readonly kind: 'recovering'
  readonly learnt: Learnt
  /** The newest commit that this owner knows of. */
  readonly committed: CommittedOffset | undefined
  /**
   * What a failure interrupted. It goes on unless something was committed; null: begin at what is committed.
   */
  readonly interrupted: Working | null
}

/**
 * Between two windows, or before more is read into one: what the changelog says is taken in, and earlier
 * windows are published again.
 */
export interface Repairing {
  readonly kind: 'repairing'
  readonly learnt: Learnt
  readonly standing: Standing
  readonly window: OpenWindow | null
  /** The changelog has records of this partition that the state has not read. */
  readonly isBehind: boolean
}

export interface Filling {
  readonly kind: 'filling'
  readonly learnt: Learnt
  readonly standing: Standing
  /** Null: the next record opens one. */
  readonly window: OpenWindow | null
}

export interface Publishing {
  readonly kind: 'publishing'
  readonly learnt: Learnt
  readonly standing: Standing
  readonly window: ClosedWindow
}

/** Everything that there is has been read and published. */
export interface Idle {
  readonly kind: 'idle'
  readonly learnt: Learnt
  readonly standing: Standing
}

export type Working = Repairing | Filling | Publishing | Idle
export type State = Recovering | Working

const nothingLearnt: Learnt = { lastAttributes: undefined, knownEnd: 0, recordBytes: 4096 }

/** The partition was assigned to this owner. `end`: its high watermark. */
export const assigned = (committed: CommittedOffset | undefined, end: number): Recovering => ({
  kind: 'recovering',
  learnt: { ...nothingLearnt, knownEnd: end },
  committed,
  interrupted: null,
})

/** What was under way is not done, as far as anybody knows. */
export const failed = (state: State): Recovering =>
  state.kind === 'recovering'
    ? state
    : { kind: 'recovering', learnt: state.learnt, committed: state.standing.committed, interrupted: state }

/**
 * The group was asked what it has committed. What failed was not done if that is what was known before: then
 * what has been read so far still holds, and a window is not read again for every try at a full disk. Null:
 * the answer is older than what is known. To go on from there would publish again what was committed since.
 */
export function located(state: Recovering, found: CommittedOffset | undefined): State | null {
  const { committed: known, interrupted } = state
  if (isOlder(found, known)) return null
  const isKnown = found?.offset === known?.offset && found?.metadata === known?.metadata
  return isKnown && interrupted !== null ? interrupted : { ...state, committed: found, interrupted: null }
}

/** Where a commit puts its partition. Without one it begins at the low watermark. */
export function standingAt(committed: CommittedOffset | undefined, lowWatermark: number): Standing {
  const progress = parseProgress(committed)
  const published = progress.published ?? committed?.offset ?? lowWatermark
  return { committed, progress, published, position: published }
}

/** The window in the middle of whose publication a commit was made. */
export const unfinishedWindow = ({ progress: { window }, published }: Standing): Progress['window'] =>
  window !== null && published <= window.last ? window : null

/** End of the newest window that is wholly published, as the commit says. */
export const publishedWindowEnd = ({ progress: { window }, published }: Standing): number | undefined =>
  window !== null && published > window.last ? window.endMs : undefined

/** The state has caught up. `window`: the unfinished one, read again. */
export function recovered({ learnt }: Recovering, standing: Standing, window: ClosedWindow | null): Publishing | Repairing {
  if (window === null) return { kind: 'repairing', learnt, standing, window, isBehind: false }
  return { kind: 'publishing', learnt, standing: { ...standing, position: window.last + 1 }, window }
}

export const caughtUp = (state: Repairing): Repairing => ({ ...state, isBehind: false })

/** What a transaction committed. */
export interface Commit {
  readonly committed: CommittedOffset
  readonly progress: Progress
  /** Newest of its records for trace.attributes. */
  readonly lastAttributes: NewRecord | undefined
}

const withCommit = (learnt: Learnt, { lastAttributes }: Commit): Learnt => (lastAttributes ? { ...learnt, lastAttributes } : learnt)

/** Spans were published again. What is published for the first time stays where it was. */
export const repaired = ({ learnt, standing, window }: Repairing, commit: Commit): Repairing => ({
  kind: 'repairing',
  learnt: withCommit(learnt, commit),
  standing: { ...standing, committed: commit.committed, progress: commit.progress },
  window,
  isBehind: true,
})

/** Nothing more is to be repaired, or not yet. */
export const readyToFill = ({ learnt, standing, window }: Repairing): Filling => ({ kind: 'filling', learnt, standing, window })

/** One read of the partition. */
export interface Filled {
  /** The one that was being filled, or that the read has opened. */
  readonly window: OpenWindow | null
  readonly position: number
  readonly knownEnd: number
  readonly recordBytes: number
}

const withFilled = ({ learnt, standing }: Filling, { position, knownEnd, recordBytes }: Filled) => ({
  learnt: { ...learnt, knownEnd, recordBytes },
  standing: { ...standing, position },
})

/** More is to be read; repairs have their turn before it. */
export const readOn = (state: Filling, filled: Filled): Repairing => ({
  kind: 'repairing',
  ...withFilled(state, filled),
  window: filled.window,
  isBehind: false,
})

/** The window ends before the position: no record is added to it any more. */
export const closed = (state: Filling, filled: Filled, window: ClosedWindow): Publishing => ({
  kind: 'publishing',
  ...withFilled(state, filled),
  window,
})

/** The end of the partition, and no window is open. */
export const exhausted = (state: Filling, filled: Filled): Idle => ({ kind: 'idle', ...withFilled(state, filled) })

/** A range of the window was published, up to `end`. */
export function published({ learnt, standing, window }: Publishing, commit: Commit, end: number): Publishing | Repairing {
  const now = {
    learnt: withCommit(learnt, commit),
    standing: { ...standing, committed: commit.committed, progress: commit.progress, published: end },
  }
  return end > window.last ? { kind: 'repairing', ...now, window: null, isBehind: true } : { kind: 'publishing', ...now, window }
}

/** The holes behind the last record are committed as well. */
export const settled = ({ learnt, standing }: Idle, committed: CommittedOffset, progress: Progress): Idle => ({
  kind: 'idle',
  learnt,
  standing: { committed, progress, published: standing.position, position: standing.position },
})

/** The owner has its next turn. */
export const awoken = ({ learnt, standing }: Idle): Repairing => ({ kind: 'repairing', learnt, standing, window: null, isBehind: false })

/** Monotonic time at which the window in work was opened; null when there is none. */
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
