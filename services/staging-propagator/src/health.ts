// Whether staged spans get on. Standing still unnoticed is what users of such jobs complain about: so what
// counts is publications, not runs.
import type { AssignedPartition, EventLog } from '@svc-server/log'
import { expiredBefore } from '@svc-server/log/expired'
import { groupNames, topicNames } from '@svc-server/modes/names'
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
import type { GaugeInstrument } from '@svc-server/service/metrics'
import type { propagatorMetrics } from './metrics.ts'

/** How far propagation is; field names as monitors of existing deployments know them (contract §4.6). */
export interface EventPropagationReport {
  readonly enabled: boolean
  /** Time of the last publication, ISO 8601; null before the first one. */
  readonly lastRunStartedAt: string | null
  readonly secondsSinceLastRun: number | null
  /** Age of the oldest staged span that is not published. */
  readonly propagationDelaySeconds: number | null
  /**
   * End of the last window that was published, ISO 8601. Of several log partitions the one that is furthest
   * behind.
   */
  readonly lastProcessedPartition: string | null
  readonly thresholdSeconds: number | null
  readonly stuck: boolean
  /** Of `stuck`: what stands still, in a sentence. */
  readonly reason?: string
}

export interface PropagationHealth {
  /** Partitions that are this process's from now on. */
  assigned(partitions: readonly AssignedPartition[]): void
  /** A publication; with the end of a window once that is wholly published. */
  progress(partition: number, windowEndMs: number | null): void
  /** The partition stands still until somebody mends what `reason` says; its next publication ends that. */
  halt(partition: number, reason: string): void
  /** The consumer has ended for good. */
  end(reason: string): void
  /** Partitions that stand still. */
  readonly halted: number
  /** For `GET /api/health?failIfEventPropagationStuck=true` (contract §4.6). */
  report(): Promise<EventPropagationReport>
  start(): void
  stop(): void
}

export interface PropagationHealthDeps {
  readonly log: EventLog
  readonly health: Health
  readonly windowMs: number
  readonly stuckThresholdMs: number
  /** Time without an answer of the log after which readiness turns red. */
  readonly storeSilenceMs: number
  readonly lagSeconds: GaugeInstrument<(typeof propagatorMetrics)['lagSeconds']>
  readonly logger: Logger
  /** Milliseconds since the epoch; only printed. */
  readonly clock: () => number
  readonly monotonicNow: () => number
}

const refreshMs = 2_000

export function createPropagationHealth(deps: PropagationHealthDeps): PropagationHealth {
  const { log, health, logger, clock, monotonicNow } = deps
  // Spans that wait for the end of their window are no backlog: a shorter threshold would call every window
  // stuck.
  const thresholdMs = Math.max(deps.stuckThresholdMs, deps.windowMs * 2)
  const trackers = new Map<number, ProgressTracker>()
  const windowEnds = new Map<number, number>()
  /**
   * Of partitions that are ours: what another process has by now is not to be reported from here for ever.
   */
  const lags = new Map<number, number>()
  let lagMs = 0
  let lastProgress: { readonly wallMs: number; readonly at: number } | null = null
  const halts = new Map<number, string>()
  /** What retention took before it was read. It stays so for this owner: the next one begins at a commit. */
  const expired = new Map<number, number>()
  let ended: string | null = null
  let timer: NodeJS.Timeout | undefined
  const logWatch = createStoreWatch({ name: 'The event log', ask: () => log.lag(), thresholdMs: deps.storeSilenceMs, monotonicNow })

  async function refresh(): Promise<void> {
    let oldest = 0
    for (const lag of await log.lag()) {
      if (lag.group !== groupNames.propagator || lag.topic !== topicNames.staging) continue
      const tracker = trackers.get(lag.partition)
      if (tracker === undefined) continue
      tracker.work(lag.lagRecords > 0)
      // Brokers' clocks and ours differ: an age below zero is none.
      const ageMs = Math.max(0, lag.lagMs)
      oldest = Math.max(oldest, ageMs)
      lags.set(lag.partition, ageMs / 1000)
    }
    lagMs = oldest
  }

  /** A log that cannot be asked, or not in time, leaves what was known: work that waited still waits. */
  const refreshed = createPatientRefresh(refresh, error => logger.warn({ err: error }, 'The lag of the propagator could not be read'))

  function haltReason(): string | null {
    if (ended !== null) return ended
    const [first] = halts
    return first === undefined ? null : `${topicNames.staging}/${first[0]} has halted: ${first[1]}`
  }

  function stuckReason(): string | null {
    const halted = haltReason()
    if (halted !== null) return halted
    for (const [partition, tracker] of trackers) {
      const result = tracker.check()
      if (!result.ok) return `${topicNames.staging}/${partition}: ${result.reason}`
    }
    return null
  }

  /** Nothing that is stuck, and nothing that could be mended: it must not be passed over all the same. */
  function lossReason(): string | null {
    const [first] = expired
    if (first === undefined) return null
    const [partition, records] = first
    return `${topicNames.staging}/${partition}: retention took ${records} records before ${groupNames.propagator} had read any; it goes on behind them`
  }

  const check = async (): Promise<CheckResult> => {
    await refreshed()
    const reason = stuckReason() ?? lossReason()
    return reason === null ? healthy : unhealthy(reason)
  }
  function checkReady(): CheckResult {
    const reason = haltReason()
    return reason === null ? logWatch.check() : unhealthy(reason)
  }
  deps.lagSeconds.onScrape(() => {
    for (const [partition, seconds] of lags) deps.lagSeconds.set({ partition }, seconds)
  })
  const registered = [
    health.register({ name: 'staging-propagator', probe: 'progress', check }),
    health.register({ name: 'staging-propagator', probe: 'ready', check: checkReady }),
  ]

  return {
    assigned(partitions) {
      trackers.clear()
      windowEnds.clear()
      lags.clear()
      halts.clear()
      expired.clear()
      for (const at of partitions) {
        const { partition } = at
        trackers.set(partition, createProgressTracker({ thresholdMs, monotonicNow }))
        if (expiredBefore(at) > 0) expired.set(partition, expiredBefore(at))
      }
    },
    progress(partition, windowEndMs) {
      trackers.get(partition)?.progress()
      halts.delete(partition)
      lastProgress = { wallMs: clock(), at: monotonicNow() }
      if (windowEndMs !== null) windowEnds.set(partition, windowEndMs)
    },
    halt(partition, reason) {
      if (trackers.has(partition)) halts.set(partition, reason)
    },
    end(reason) {
      ended = reason
    },
    get halted() {
      return halts.size
    },
    async report() {
      await refreshed()
      const reason = stuckReason()
      const lastWindowMs = windowEnds.size > 0 ? [...windowEnds.values()].reduce((least, end) => Math.min(least, end)) : null
      return {
        enabled: true,
        lastRunStartedAt: lastProgress === null ? null : new Date(lastProgress.wallMs).toISOString(),
        secondsSinceLastRun: lastProgress === null ? null : Math.round((monotonicNow() - lastProgress.at) / 1000),
        propagationDelaySeconds: Math.round(lagMs / 1000),
        lastProcessedPartition: lastWindowMs === null ? null : new Date(lastWindowMs).toISOString(),
        thresholdSeconds: Math.round(thresholdMs / 1000),
        stuck: reason !== null,
        ...(reason !== null && { reason }),
      }
    },
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
