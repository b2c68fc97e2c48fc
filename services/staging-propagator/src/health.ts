// Reports to monitors whether staged spans make progress.
import type { AssignedPartition } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { createOwnerHealth, type OwnerHealthDeps } from '@svc-server/owner/health'
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
  /** Partitions that stand still; an owner that has ended counts as one. */
  readonly halted: number
  /** For `GET /api/health?failIfEventPropagationStuck=true` (contract §4.6). */
  report(): Promise<EventPropagationReport>
  start(): void
  stop(): void
}

export interface PropagationHealthDeps extends Omit<OwnerHealthDeps, 'name' | 'group' | 'thresholdMs'> {
  readonly windowMs: number
  readonly stuckThresholdMs: number
  readonly lagSeconds: GaugeInstrument<(typeof propagatorMetrics)['lagSeconds']>
  /** Milliseconds since the epoch; only printed. */
  readonly clock: () => number
}

export function createPropagationHealth(deps: PropagationHealthDeps): PropagationHealth {
  const { windowMs, stuckThresholdMs, lagSeconds, clock, monotonicNow } = deps
  // Spans that wait for the end of their window are no backlog: a shorter threshold would call every window
  // stuck.
  const thresholdMs = Math.max(stuckThresholdMs, windowMs * 2)
  const owner = createOwnerHealth({ ...deps, name: 'staging-propagator', group: groupNames.propagator, thresholdMs })
  const windowEnds = new Map<number, number>()
  let lastProgress: { readonly wallMs: number; readonly at: number } | null = null
  const at = (partition: number) => ({ topic: topicNames.staging, partition })

  // Of partitions that are ours: what another process has by now is not to be reported from here for ever.
  lagSeconds.onScrape(() => {
    for (const [{ partition }, seconds] of owner.lags()) lagSeconds.set({ partition }, seconds)
  })

  return {
    assigned(partitions) {
      windowEnds.clear()
      owner.assigned(partitions)
    },
    progress(partition, windowEndMs) {
      owner.progress(at(partition))
      lastProgress = { wallMs: clock(), at: monotonicNow() }
      if (windowEndMs !== null) windowEnds.set(partition, windowEndMs)
    },
    halt: (partition, reason) => owner.halt(at(partition), reason),
    end: owner.end,
    get halted() {
      return owner.halted
    },
    async report() {
      await owner.refreshed()
      const reason = owner.stuckReason()
      const lastWindowMs = windowEnds.size > 0 ? [...windowEnds.values()].reduce((least, end) => Math.min(least, end)) : null
      return {
        enabled: true,
        lastRunStartedAt: lastProgress === null ? null : new Date(lastProgress.wallMs).toISOString(),
        secondsSinceLastRun: lastProgress === null ? null : Math.round((monotonicNow() - lastProgress.at) / 1000),
        propagationDelaySeconds: Math.round(owner.lagMs / 1000),
        lastProcessedPartition: lastWindowMs === null ? null : new Date(lastWindowMs).toISOString(),
        thresholdSeconds: Math.round(thresholdMs / 1000),
        stuck: reason !== null,
        ...(reason !== null && { reason }),
      }
    },
    start: owner.start,
    stop: owner.stop,
  }
}
