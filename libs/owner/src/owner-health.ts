// A running process can be stuck. The check `progress` therefore reports whether the process commits the waiting records of its partitions.
import type { AssignedPartition, EventLog } from '@svc-server/log'
import { expiredBefore } from '@svc-server/log/expired'
import type { GroupName } from '@svc-server/modes/names'
import {
  type CheckResult,
  createPatientRefresh,
  createProgressTracker,
  createStoreWatch,
  type Health,
  healthy,
  type ProgressTracker,
  unhealthy,
} from '@svc-server/service/health'
import type { Logger } from '@svc-server/service/logs'

export interface PartitionId {
  readonly topic: string
  readonly partition: number
}

export interface OwnerHealth {
  assigned(partitions: readonly AssignedPartition[]): void
  /** A commit ends a pause or halt of the partition. */
  progress(at: PartitionId): void
  /** Marks the partition as paused for this reason. After the pause, the owner retries without help. */
  rest(at: PartitionId, reason: string): void
  /** Marks the partition as halted until an operator fixes the cause. */
  halt(at: PartitionId, reason: string): void
  end(reason: string): void
  /** Number of halted partitions, plus one if the consumer has stopped because of an error (`end`). */
  readonly halted: number
  readonly lagMs: number
  lags(): Iterable<readonly [at: PartitionId, seconds: number]>
  /** Updates the lag. Resolves soon, even if the log does not respond. */
  refreshed(): Promise<void>
  /** Describes halted or stuck partitions, or returns null if there are none. */
  stuckReason(): string | null
  start(): void
  stop(): void
}

export interface OwnerHealthDeps {
  readonly name: string
  readonly group: GroupName
  readonly log: EventLog
  readonly health: Health
  /** A partition is stuck if its records have waited this long without a commit. */
  readonly thresholdMs: number
  /** The process is not ready if a store has not responded for this long. */
  readonly storeSilenceMs: number
  readonly logger: Logger
  readonly monotonicNow: () => number
}

interface Owned {
  readonly at: PartitionId
  readonly tracker: ProgressTracker
  halted: string | null
  resting: { readonly reason: string; readonly since: number } | null
  lagMs: number | null
  /** Number of offsets that retention deleted before they were read. */
  readonly expired: number
}

const refreshMs = 2_000
const placeOf = ({ topic, partition }: PartitionId) => `${topic}/${partition}`

export function createOwnerHealth(deps: OwnerHealthDeps): OwnerHealth {
  const { name, group, log, health, thresholdMs, storeSilenceMs, logger, monotonicNow } = deps
  let owned: ReadonlyMap<string, Owned> = new Map()
  let ended: string | null = null
  let timer: NodeJS.Timeout | undefined
  const logWatch = createStoreWatch({ name: 'The event log', ask: () => log.lag(), thresholdMs: storeSilenceMs, monotonicNow })

  async function refresh(): Promise<void> {
    for (const lag of await log.lag()) {
      const one = lag.group === group ? owned.get(placeOf(lag)) : undefined
      if (one === undefined) continue
      one.tracker.work(lag.lagRecords > 0)
      // If this process's clock is behind the broker's clock, the computed age of a record can be negative. A negative age counts as 0.
      one.lagMs = Math.max(0, lag.lagMs)
    }
  }

  /** Until the log responds, the previous values stay valid. */
  const refreshed = createPatientRefresh(refresh, error => logger.warn({ err: error }, `The lag of ${group} could not be read`))

  function firstOf(reasonOf: (one: Owned, place: string) => string | null): string | null {
    for (const [place, one] of owned) {
      const reason = reasonOf(one, place)
      if (reason !== null) return reason
    }
    return null
  }

  const haltReason = (): string | null =>
    ended ?? firstOf(({ halted }, place) => (halted === null ? null : `${place} has halted: ${halted}`))

  function stuckReason(): string | null {
    const stuck = ({ tracker }: Owned, place: string): string | null => {
      const result = tracker.check()
      return result.ok ? null : `${place}: ${result.reason}`
    }
    return haltReason() ?? firstOf(stuck)
  }

  /** The loss is permanent, so it is reported even while the partition makes progress. */
  const lossReason = (): string | null =>
    firstOf(({ expired }, place) =>
      expired === 0
        ? null
        : `${place}: retention deleted ${expired} records before ${group} had read them; the group continues after these records`,
    )

  /** A single pause is harmless. Only repeated pauses are reported. */
  const restReason = (): string | null =>
    firstOf(({ resting }, place) =>
      resting === null || monotonicNow() - resting.since <= storeSilenceMs ? null : `${place} is paused and retries: ${resting.reason}`,
    )

  const resultOf = (reason: string | null): CheckResult => (reason === null ? healthy : unhealthy(reason))

  async function checkProgress(): Promise<CheckResult> {
    await refreshed()
    return resultOf(stuckReason() ?? lossReason())
  }
  function checkReady(): CheckResult {
    const reason = haltReason() ?? restReason()
    return reason === null ? logWatch.check() : unhealthy(reason)
  }
  const registered = [
    health.register({ name, probe: 'progress', check: checkProgress }),
    health.register({ name, probe: 'ready', check: checkReady }),
  ]

  return {
    assigned(partitions) {
      const fresh = (at: AssignedPartition): Owned => ({
        at,
        tracker: createProgressTracker({ thresholdMs, monotonicNow }),
        halted: null,
        resting: null,
        lagMs: null,
        expired: expiredBefore(at),
      })
      owned = new Map(partitions.map(at => [placeOf(at), fresh(at)]))
    },
    progress(at) {
      const one = owned.get(placeOf(at))
      if (one === undefined) return
      one.tracker.progress()
      one.halted = null
      one.resting = null
    },
    rest(at, reason) {
      const one = owned.get(placeOf(at))
      if (one !== undefined) one.resting = { reason, since: one.resting?.since ?? monotonicNow() }
    },
    halt(at, reason) {
      const one = owned.get(placeOf(at))
      if (one !== undefined) one.halted = reason
    },
    end(reason) {
      ended = reason
    },
    get halted() {
      return [...owned.values()].filter(({ halted }) => halted !== null).length + (ended === null ? 0 : 1)
    },
    get lagMs() {
      return [...owned.values()].reduce((oldest, { lagMs }) => Math.max(oldest, lagMs ?? 0), 0)
    },
    lags: () => [...owned.values()].flatMap(({ at, lagMs }) => (lagMs === null ? [] : [[at, lagMs / 1000] as const])),
    refreshed,
    stuckReason,
    start() {
      timer = setInterval(() => void refreshed(), refreshMs)
      timer.unref()
      logWatch.start()
    },
    stop() {
      clearInterval(timer)
      logWatch.stop()
      for (const remove of registered) remove()
    },
  }
}
