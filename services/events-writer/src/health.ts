// Judges whether the writer makes progress. Each partition counts for itself, so that a stuck one cannot hide behind others. Only owned
// partitions are judged.
import type { AssignedPartition, EventLog, GroupLag } from '@svc-server/log'
import { expiredBefore } from '@svc-server/log/expired'
import {
  type CheckResult,
  createPatientRefresh,
  createProgressTracker,
  type Health,
  healthy,
  type ProgressTracker,
  type StoreWatch,
  unhealthy,
} from '@svc-server/service/health'
import type { Logger } from '@svc-server/service/logs'

interface PartitionId {
  readonly topic: string
  readonly partition: number
}

/** Of one group of this process. */
interface ReaderHealth {
  /** All partitions that are this process's from now on: the time of each starts over. */
  assigned(partitions: readonly AssignedPartition[]): void
  /** Something of the partition was finished; it stands still no more. */
  progress(at: PartitionId): void
  /** The partition stands still until somebody mends what `reason` says. */
  halt(at: PartitionId, reason: string): void
}

export interface WriterHealth {
  reader(group: string): ReaderHealth
  /** Records wait on a topic that this release does not read; null when there are none. */
  unread(reason: string | null): void
  /** A reader has ended for good. */
  end(reason: string): void
  /** What waits: told regularly, so that time counts from when work appeared and not from a probe. */
  observe(lags: readonly GroupLag[]): void
  /** Partitions that stand still; an owner that has ended counts as one. */
  readonly halted: number
  unregister(): void
}

export interface WriterHealthDeps {
  readonly log: EventLog
  readonly health: Health
  readonly logger: Logger
  /** What the writer cannot work without. */
  readonly stores: readonly StoreWatch[]
  /** Told with a green readiness: what is no fault, and to be known. */
  readonly detail: () => string | null
  readonly thresholdMs: number
  /** Milliseconds from any start; default: the process's monotonic clock. */
  readonly monotonicNow?: () => number
}

interface Owned {
  readonly tracker: ProgressTracker
  halted: string | null
  /** What retention took before it was read. It stays so for this owner: the next one begins at a commit. */
  readonly expired: number
}

const keyOf = ({ topic, partition }: PartitionId) => `${topic}/${partition}`

export function createWriterHealth({ log, health, logger, stores, detail, thresholdMs, monotonicNow }: WriterHealthDeps): WriterHealth {
  const groups = new Map<string, ReadonlyMap<string, Owned>>()
  let ended: string | null = null
  let unread: string | null = null

  const haltReasons = (): string[] =>
    [...groups.values()].flatMap(owned =>
      [...owned].flatMap(([partition, { halted }]) => (halted === null ? [] : [`${partition} has halted: ${halted}`])),
    )

  function observe(lags: readonly GroupLag[]): void {
    for (const lag of lags) {
      const owned = groups.get(lag.group)?.get(keyOf(lag))
      owned?.tracker.work(lag.lagRecords > 0)
    }
  }

  /** A log that cannot be asked, or not in time, leaves what was known: work that waited still waits. */
  const refreshed = createPatientRefresh(
    async () => observe(await log.lag()),
    error => logger.warn({ err: error }, 'The lag of the writer could not be read'),
  )

  async function checkProgress(): Promise<CheckResult> {
    const [halted] = haltReasons()
    if (ended !== null || halted !== undefined) return unhealthy(ended ?? halted!)
    await refreshed()
    for (const owned of groups.values()) {
      for (const [partition, { tracker }] of owned) {
        const result = tracker.check()
        if (!result.ok) return unhealthy(`${partition}: ${result.reason}`)
      }
    }
    return checkLoss()
  }

  /** After what can still be mended: this cannot, and must not hide it. */
  function checkLoss(): CheckResult {
    for (const [group, owned] of groups) {
      for (const [partition, { expired }] of owned) {
        if (expired > 0)
          return unhealthy(`${partition}: retention took ${expired} records before ${group} had read any; it goes on behind them`)
      }
    }
    return unread === null ? healthy : unhealthy(unread)
  }

  function checkReady(): CheckResult {
    const [halted] = haltReasons()
    if (ended !== null || halted !== undefined) return unhealthy(ended ?? halted!)
    const known = detail()
    return stores.map(store => store.check()).find(({ ok }) => !ok) ?? (known === null ? healthy : { ok: true, detail: known })
  }

  const registered = [
    health.register({ name: 'events-writer', probe: 'progress', check: checkProgress }),
    health.register({ name: 'events-writer', probe: 'ready', check: checkReady }),
  ]
  return {
    reader: group => ({
      assigned(partitions) {
        const fresh = (at: AssignedPartition) => ({
          tracker: createProgressTracker({ thresholdMs, ...(monotonicNow && { monotonicNow }) }),
          halted: null,
          expired: expiredBefore(at),
        })
        groups.set(group, new Map(partitions.map(at => [keyOf(at), fresh(at)])))
      },
      progress(at) {
        const owned = groups.get(group)?.get(keyOf(at))
        if (owned === undefined) return
        owned.tracker.progress()
        owned.halted = null
      },
      halt(at, reason) {
        const owned = groups.get(group)?.get(keyOf(at))
        if (owned !== undefined) owned.halted = reason
      },
    }),
    unread(reason) {
      unread = reason
    },
    end(reason) {
      ended = reason
    },
    observe,
    get halted() {
      return haltReasons().length + (ended === null ? 0 : 1)
    },
    unregister() {
      for (const remove of registered) remove()
    },
  }
}
