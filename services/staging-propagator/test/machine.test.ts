// Tests every transition of a partition's state machine. Also tests random sequences of transitions.
import type { CommittedOffset } from '@svc-server/log'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  assigned,
  awoken,
  type ClosedWindow,
  type Commit,
  caughtUp,
  closed,
  exhausted,
  type Filled,
  type Filling,
  failed,
  type Idle,
  located,
  openSince,
  type Publishing,
  published,
  publishedWindowEnd,
  type Recovering,
  type Repairing,
  readOn,
  readyToFill,
  recovered,
  repaired,
  type State,
  settled,
  standingAt,
  unfinishedWindow,
  type Working,
} from '../src/partition/machine.ts'
import { formatProgress, isOlder, noProgress, type Progress } from '../src/partition/progress.ts'
import type { Decisions } from '../src/windows/decisions.ts'
import { openWindow } from '../src/windows/window.ts'

const decisions: Decisions = { of: () => expect.fail('no trace was asked for'), repairsNeeded: false }
const commitAt = (offset: number, progress: Progress): CommittedOffset => ({ offset, metadata: formatProgress(progress) })
const commitOf = (offset: number, progress: Progress): Commit => ({
  committed: commitAt(offset, progress),
  progress,
  lastAttributes: undefined,
})
const windowFrom = (first: number, openedAt = 7) => openWindow(first, 1_000, openedAt)
const closedAt = (first: number, last: number): ClosedWindow => ({ window: windowFrom(first), last, closedBy: 'record', decisions })
const start = assigned(undefined, 10)
const repairing = (committed?: CommittedOffset): Repairing =>
  recovered(assigned(committed, 10), standingAt(committed, 0), null) as Repairing
const filling = (committed?: CommittedOffset): Filling => readyToFill(repairing(committed))
const filledTo = (position: number, window: Filled['window'] = null): Filled => ({ window, position, knownEnd: 12, recordBytes: 100 })
const publishing = (first: number, last: number): Publishing => closed(filling(), filledTo(last + 1), closedAt(first, last))

describe('recovering', () => {
  test('without a commit a partition begins at its low watermark, with repairs before windows', () => {
    expect(standingAt(undefined, 3)).toEqual({ committed: undefined, progress: noProgress, published: 3, position: 3 })
    expect(recovered(start, standingAt(undefined, 3), null)).toMatchObject({ kind: 'repairing', window: null, isBehind: false })
  })

  test('a commit in the middle of a window resumes that window', () => {
    const committed = commitAt(4, { window: { first: 2, last: 8, endMs: 1_000 }, published: null, repairs: 0 })
    const standing = standingAt(committed, 0)
    expect(unfinishedWindow(standing)).toEqual({ first: 2, last: 8, endMs: 1_000 })
    expect(publishedWindowEnd(standing)).toBeUndefined()
    const state = recovered(assigned(committed, 10), standing, closedAt(2, 8))
    expect(state).toMatchObject({ kind: 'publishing', standing: { published: 4, position: 9 } })
  })

  test('a window is unfinished at its last offset, and finished after it', () => {
    const window = { first: 2, last: 8, endMs: 1_000 }
    const at = (offset: number) => standingAt(commitAt(offset, { window, published: null, repairs: 0 }), 0)
    expect([unfinishedWindow(at(8)), publishedWindowEnd(at(8))]).toEqual([window, undefined])
    expect([unfinishedWindow(at(9)), publishedWindowEnd(at(9))]).toEqual([null, 1_000])
  })

  test('a commit that was held back for repairs resumes after its window', () => {
    const committed = commitAt(8, { window: { first: 2, last: 8, endMs: 1_000 }, published: 9, repairs: 3 })
    const standing = standingAt(committed, 0)
    expect([unfinishedWindow(standing), publishedWindowEnd(standing), standing.position]).toEqual([null, 1_000, 9])
  })

  test('the interrupted work continues when nothing was committed', () => {
    const state = publishing(0, 5)
    expect(located(failed(state), undefined)).toBe(state)
  })

  test('the interrupted work is dropped when its own or another commit succeeded', () => {
    const done = commitAt(6, { window: { first: 0, last: 5, endMs: 1_000 }, published: null, repairs: 0 })
    expect(located(failed(publishing(0, 5)), done)).toMatchObject({ kind: 'recovering', committed: done, interrupted: null })
  })

  test('a failed recovery starts over at the newest known commit', () => {
    const newer = commitAt(6, noProgress)
    const seen = located(failed(publishing(0, 5)), newer) as Recovering
    expect(located(failed(seen), undefined)).toBeNull()
    expect(located(failed(seen), newer)).toEqual(seen)
  })

  test('F47 · a response that is older than the known commit is not used', () => {
    const repairedOnce = commitAt(6, { ...noProgress, repairs: 1 })
    const state = failed(filling(repairedOnce))
    for (const older of [undefined, commitAt(5, noProgress), commitAt(6, noProgress)]) expect(located(state, older)).toBeNull()
  })
})

describe('repairing', () => {
  test('a repair keeps the position of first publications, and leaves new changelog records to read', () => {
    const before = repairing(commitAt(4, noProgress))
    const after = repaired(before, commitOf(4, { ...noProgress, repairs: 1 }))
    expect(after).toMatchObject({ isBehind: true, standing: { published: 4, position: 4, progress: { repairs: 1 } } })
    expect(caughtUp(after).isBehind).toBe(false)
  })

  test('an open window stays open during repairs', () => {
    const window = windowFrom(0)
    const state = readOn(filling(commitAt(0, noProgress)), filledTo(3, window))
    expect(readyToFill(caughtUp(repaired(state, commitOf(0, { ...noProgress, repairs: 1 })))).window).toBe(window)
  })
})

describe('filling', () => {
  test('a read advances the position and keeps the known end of the partition', () => {
    expect(readOn(filling(), filledTo(3))).toMatchObject({
      standing: { published: 0, position: 3 },
      learned: { knownEnd: 12, recordBytes: 100 },
    })
  })

  test('the publication of a closed window begins at the first unpublished offset', () => {
    expect(publishing(0, 5)).toMatchObject({ kind: 'publishing', standing: { published: 0, position: 6 }, window: { last: 5 } })
  })

  test('at the end of the partition, missing offsets are committed, and the next slot begins with repairs', () => {
    const idle = exhausted(filling(commitAt(4, noProgress)), filledTo(6))
    expect(idle.standing).toMatchObject({ published: 4, position: 6 })
    const rested = settled(idle, commitAt(6, noProgress), noProgress)
    expect(rested.standing).toMatchObject({ published: 6, position: 6, committed: { offset: 6 } })
    expect(awoken(rested)).toMatchObject({ kind: 'repairing', window: null, isBehind: false })
  })
})

describe('publishing', () => {
  const window = { first: 0, last: 5, endMs: 1_000 }

  test('after one range, the other ranges of the window remain to be published', () => {
    const next = published(publishing(0, 5), commitOf(3, { window, published: null, repairs: 0 }), 3)
    expect(next).toMatchObject({ kind: 'publishing', standing: { published: 3, position: 6 } })
  })

  test('a range that ends before the last offset leaves that offset to publish', () => {
    const next = published(publishing(0, 5), commitOf(5, { window, published: null, repairs: 0 }), 5)
    expect(next).toMatchObject({ kind: 'publishing', standing: { published: 5 } })
  })

  test('the last range ends the window, and its trace records remain to be read', () => {
    const next = published(publishing(0, 5), commitOf(6, { window, published: null, repairs: 0 }), 6)
    expect(next).toMatchObject({ kind: 'repairing', window: null, isBehind: true, standing: { published: 6 } })
  })

  test('the newest record of trace.attributes is remembered across failures and commits without such a record', () => {
    const record = { key: Buffer.from('key'), value: Buffer.from('value') }
    const first = published(publishing(0, 5), { ...commitOf(3, noProgress), lastAttributes: record }, 3) as Publishing
    const second = published(first, commitOf(6, noProgress), 6)
    expect(failed(second).learned.lastAttributes).toBe(record)
  })
})

test('a window is open from its first record until its last range is published, also across failures', () => {
  const open = readOn(filling(), filledTo(3, windowFrom(0, 42)))
  expect([start, filling(), exhausted(filling(), filledTo(0))].map(openSince)).toEqual([null, null, null])
  expect([open, readyToFill(open), publishing(0, 5), failed(open)].map(openSince)).toEqual([42, 42, 7, 42])
  expect(openSince(located(failed(open), commitAt(1, noProgress))!)).toBeNull()
})

// Each window has ten records.
describe('random walks', () => {
  const size = 10
  interface Walk {
    readonly state: State
    /** The commit that the log really has for the group. */
    readonly truth: CommittedOffset | undefined
  }
  type Outcome = 'done' | 'refused' | 'lost'

  function afterCommit({ state }: Walk, outcome: Outcome, commit: Commit, next: Working, truth: Walk['truth']): Walk {
    if (outcome === 'done') return { state: next, truth: commit.committed }
    return { state: failed(state), truth: outcome === 'lost' ? commit.committed : truth }
  }

  function publishedRange(state: Publishing, count: number): { commit: Commit; end: number } {
    const { window, last } = state.window
    const end = Math.min(last + 1, state.standing.published + count)
    const repairsFollow = end > last && count % 2 === 0
    const progress = {
      ...state.standing.progress,
      window: { first: window.first, last, endMs: 1_000 },
      published: repairsFollow ? end : null,
    }
    return { commit: commitOf(repairsFollow ? last : end, progress), end }
  }

  function step(walk: Walk, choice: number, outcome: Outcome): Walk {
    const { state, truth } = walk
    switch (state.kind) {
      case 'recovering': {
        const next = located(state, truth)!
        if (next.kind !== 'recovering') return { state: next, truth }
        const standing = standingAt(next.committed, 0)
        const unfinished = unfinishedWindow(standing)
        return { state: recovered(next, standing, unfinished && closedAt(unfinished.first, unfinished.last)), truth }
      }
      case 'publishing': {
        const { commit, end } = publishedRange(state, 1 + choice)
        return afterCommit(walk, outcome, commit, published(state, commit, end), truth)
      }
      case 'repairing': {
        if (state.isBehind) return { state: caughtUp(state), truth }
        const { committed, progress } = state.standing
        if (choice > 1 || committed === undefined) return { state: readyToFill(state), truth }
        const commit = commitOf(committed.offset, { ...progress, repairs: progress.repairs + 1 })
        return afterCommit(walk, outcome, commit, repaired(state, commit), truth)
      }
      case 'filling': {
        const { position } = state.standing
        if (choice === 0 && state.window === null) return { state: exhausted(state, filledTo(position + 1)), truth }
        const window = state.window ?? windowFrom(position)
        const filled = filledTo(position + 1 + choice, window)
        const isFull = filled.position - window.first >= size
        return { state: isFull ? closed(state, filled, closedAt(window.first, filled.position - 1)) : readOn(state, filled), truth }
      }
      case 'idle':
        return settledOrAwoken(walk, state, choice, outcome)
    }
  }

  function settledOrAwoken(walk: Walk, idle: Idle, choice: number, outcome: Outcome): Walk {
    const { progress, position, committed } = idle.standing
    if (choice === 0 || committed?.offset === position) return { state: awoken(idle), truth: walk.truth }
    const commit = commitOf(position, { ...progress, published: null })
    return afterCommit(walk, outcome, commit, settled(idle, commit.committed, commit.progress), walk.truth)
  }

  const choices = fc.array(fc.tuple(fc.nat(5), fc.constantFrom<Outcome>('done', 'done', 'done', 'refused', 'lost')), { maxLength: 300 })

  test('under any failures, commits never move back, windows follow each other, and nothing is published before it is read', () =>
    fc.assert(
      fc.property(choices, drawn => {
        let walk: Walk = { state: start, truth: undefined }
        for (const [choice, outcome] of drawn) {
          const { truth } = walk
          walk = step(walk, choice, outcome)
          expect(isOlder(walk.truth, truth)).toBe(false)
          if (walk.state.kind === 'recovering') continue
          const { standing } = walk.state
          // The owner relies only on the commit that the log has, and never on a commit whose outcome is unknown.
          expect(standing.committed).toEqual(walk.truth)
          expect(standing.published).toBeLessThanOrEqual(standing.position)
          if (walk.state.kind === 'publishing') {
            expect(standing.published).toBeLessThanOrEqual(walk.state.window.last)
            expect(standing.position).toBe(walk.state.window.last + 1)
          }
        }
      }),
    ))

  test('they reach every state', () => {
    const seen = new Set<State['kind']>()
    fc.assert(
      fc.property(choices, drawn => {
        let walk: Walk = { state: start, truth: undefined }
        for (const [choice, outcome] of drawn) {
          walk = step(walk, choice, outcome)
          seen.add(walk.state.kind)
        }
      }),
      { seed: 1 },
    )
    expect([...seen].sort()).toEqual(['filling', 'idle', 'publishing', 'recovering', 'repairing'])
  })
})
