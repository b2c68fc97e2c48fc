// Owns one staging partition. Each call does one piece of work and moves the machine to the next state. Only commits are permanent. All
// other state can be rebuilt from the log.
import type { BatchOutcome, NewRecord, OwnedPartition } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import { createLogClock } from '../windows/log-clock.ts'
import { createBudget } from './budget.ts'
import type { Assignment, OwnerDeps, PartitionDeps } from './deps.ts'
import { closeWindow, fillWindow } from './fill-window.ts'
import {
  assigned,
  awoken,
  type Commit,
  caughtUp,
  closed,
  exhausted,
  type Filling,
  failed,
  type Idle,
  openSince,
  published,
  type Repairing,
  readOn,
  readyToFill,
  repaired,
  type State,
  settled,
} from './machine.ts'
import { formatProgress, type Progress } from './progress.ts'
import { createPublisher } from './publish.ts'
import { catchUp, locate, recover } from './recover.ts'
import { publishRepairs } from './repair.ts'
import { createWithdrawals } from './withdrawals.ts'

export interface StagingPartition {
  /**
   * Works until nothing is left for now, or until the signal aborts. Returns `done` if no window is open. Rejects with the log's errors.
   * After an error, the next call begins at the committed offset.
   */
  work(owned: OwnedPartition): Promise<BatchOutcome>
  /** Monotonic time at which the current window was opened; null if no window is open. */
  readonly openSince: number | null
  /** Number of traces that still waited for a repair after the last round. */
  readonly pendingRepairs: number
}

const restMs = 1_000
const repairRestMs = 200

export function createStagingPartition(ofProcess: PartitionDeps, assignment: Assignment): StagingPartition {
  const { partition, state: traces, schedule, config, monotonicNow } = ofProcess
  const deps: OwnerDeps = { ...ofProcess, assignment, logClock: createLogClock(monotonicNow) }
  const repairBudget = createBudget(config.repairBytesPerSecond, monotonicNow)
  const publisher = createPublisher(deps)
  let state: State = assigned(assignment.committed, assignment.highWatermark)
  const withdrawals = createWithdrawals({ ...ofProcess, state: traces, settledMs: schedule.settledMs })
  let pendingRepairs = 0

  const commitTo =
    (owned: OwnedPartition) =>
    async (offset: number, progress: Progress, appends: ReadonlyMap<string, readonly NewRecord[]>): Promise<Commit> => {
      const metadata = formatProgress(progress)
      await owned.commitWith(offset, metadata, appends)
      return { committed: { offset, metadata }, progress, lastAttributes: appends.get(topicNames.traceAttributes)?.at(-1) }
    }

  /** Does one step of the owner's work. Returns null if the next step can follow immediately. */
  async function step(owned: OwnedPartition): Promise<BatchOutcome | null> {
    switch (state.kind) {
      case 'recovering':
        // The owner remembers the commit even if the recovery fails. If the log later returns an older commit, the owner recognizes that
        // this older commit is outdated.
        state = locate(deps, state, owned.committed)
        if (state.kind === 'recovering') state = await recover(deps, state, owned.signal)
        return null
      case 'publishing': {
        const { commit, end } = await publisher.publishNext(state, commitTo(owned))
        state = published(state, commit, end)
        return null
      }
      case 'repairing':
        await repair(state, owned)
        return null
      case 'filling':
        return fill(state, owned)
      case 'idle':
        state = awoken(state)
        return null
    }
  }

  /**
   * A window can be published in several ranges. Repairs do not run between these ranges, for two reasons. The owner could mistake the
   * commit of a repair for the commit of a range. A repair would also change the state that determines the window's attributes.
   */
  async function repair(from: Repairing, owned: OwnedPartition): Promise<void> {
    if (from.isBehind) {
      await catchUp(deps, from.standing, from.learned, owned.signal)
      state = caughtUp(from)
      return
    }
    pendingRepairs = traces.pendingCount(partition)
    const { committed } = from.standing
    if (committed === undefined || repairBudget.left() <= 0) {
      state = readyToFill(from)
      return
    }
    let at = from
    const withdrawal = await withdrawals.next()
    const { readBytes } = await publishRepairs(
      // The number of records that the budget allows in one second, estimated from the average size of recent records.
      { ...deps, signal: owned.signal, maxRecords: Math.ceil(config.repairBytesPerSecond / from.learned.recordBytes) },
      {
        repairs: from.standing.progress.repairs,
        withdrawals: withdrawal.records,
        commit: async appends => {
          const { progress } = at.standing
          const commit = await commitTo(owned)(committed.offset, { ...progress, repairs: progress.repairs + 1 }, appends)
          state = at = repaired(at, commit)
          deps.onProgress(partition, null)
          return commit.progress.repairs
        },
      },
    )
    withdrawal.done()
    repairBudget.spend(readBytes)
    if (at === from) state = readyToFill(from)
  }

  async function fill(from: Filling, owned: OwnedPartition): Promise<BatchOutcome | null> {
    // The owner reads the clock first, and then the records. If the clock shows that the window is over, and the read of the records
    // reaches the end of the partition, the window contains every record that was appended before the window's end.
    const isOver = from.window !== null && schedule.isOver(from.window, deps.logClock.now())
    const filled = await fillWindow(deps, from)
    const { window, position, closedBy, isMore } = filled
    if (window !== null && (closedBy !== null || (!isMore && isOver))) {
      state = closed(from, filled, closeWindow(deps, window, position - 1, closedBy ?? 'time'))
      return null
    }
    if (!isMore && window === null) return rest(exhausted(from, filled), owned)
    state = readOn(from, filled)
    return isMore || window === null ? null : { kind: 'pause', afterMs: schedule.waitMs(window, deps.logClock.now()) }
  }

  async function rest(idle: Idle, owned: OwnedPartition): Promise<BatchOutcome> {
    state = idle
    // The pending repairs wait until `repairBudget` has grown again, so the partition pauses.
    if (traces.pendingCount(partition) > 0) return { kind: 'pause', afterMs: repairRestMs }
    const { committed, position, progress } = idle.standing
    if (committed?.offset !== position) {
      // The last offsets of the partition can be without records, because transactions and retention leave gaps. The owner commits past
      // these offsets.
      const next = { ...progress, published: null }
      const metadata = formatProgress(next)
      await owned.commit(position, metadata)
      state = settled(idle, { offset: position, metadata }, next)
      deps.onProgress(partition, null)
    }
    return { kind: 'done' }
  }

  return {
    async work(owned) {
      const { signal } = owned
      try {
        while (!signal.aborted) {
          const outcome = await step(owned)
          if (outcome !== null) return outcome
        }
        return { kind: 'pause', afterMs: restMs }
      } catch (error) {
        state = failed(state)
        publisher.dropArena()
        throw error
      }
    },
    get pendingRepairs() {
      return pendingRepairs
    },
    get openSince() {
      return openSince(state)
    },
  }
}
