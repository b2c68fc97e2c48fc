// Checks each partition separately, so that healthy partitions do not hide a partition that is stuck.
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

interface ReaderHealth {
  /** Sets the partitions that this process now owns. For a new partition, the time without progress starts at 0. */
  assigned(partitions: readonly AssignedPartition[]): void
  /** Ends a halt. */
  progress(at: PartitionId): void
  halt(at: PartitionId, reason: string): void
}

export interface WriterHealth {
  reader(group: string): ReaderHealth
  /** Reports whether a topic has records that this release does not read. `reason` is null if no topic has such records. */
  unread(reason: string | null): void
  end(reason: string): void
  /**
   * Receives the current lags of the groups. The caller calls this function regularly, so that the time without progress starts when work
   * appears, and not at the next probe.
   */
  observe(lags: readonly GroupLag[]): void
  /** Number of halted partitions. An executor or a reader that has ended counts as one halted partition. */
  readonly halted: number
  unregister(): void
}

export interface WriterHealthDeps {
  readonly log: EventLog
  readonly health: Health
  readonly logger: Logger
  /** The writer's stores. */
  readonly stores: readonly StoreWatch[]
  /** A message that operators should see although readiness is green. */
  readonly detail: () => string | null
  readonly thresholdMs: number
  /** A clock in milliseconds with an arbitrary starting point; by default, the process's monotonic clock. */
  readonly monotonicNow?: () => number
}

interface Owned {
  readonly tracker: ProgressTracker
  halted: string | null
  /**
   * Number of offsets that retention had deleted before the group first committed an offset. The number is set when this process gets the
   * partition, and does not change afterwards. If the group had already committed an offset by then, the number is 0.
   */
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

  /** If the log does not respond, the check uses the last known lag, as the writer has probably read no records since the last response. */
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

  /**
   * Reports a loss of records. `checkProgress` looks for a loss last, so that a loss, which cannot be repaired, does not hide a fault that
   * can be repaired.
   */
  function checkLoss(): CheckResult {
    for (const [group, owned] of groups) {
      for (const [partition, { expired }] of owned) {
        if (expired > 0)
          return unhealthy(
            `${partition}: retention deleted ${expired} records before ${group} had read them; the group continues after these records`,
          )
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
