// Tells monitoring whether the propagator publishes the staged spans.
import type { AssignedPartition } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { createOwnerHealth, type OwnerHealthDeps } from '@svc-server/owner/health'
import type { GaugeInstrument } from '@svc-server/service/metrics'
import type { propagatorMetrics } from './metrics.ts'

/** Existing monitoring relies on the names of these fields (contract §4.6). */
export interface EventPropagationReport {
  readonly enabled: boolean
  /** Time of the last publication in ISO 8601; null before the first publication. */
  readonly lastRunStartedAt: string | null
  readonly secondsSinceLastRun: number | null
  readonly propagationDelaySeconds: number | null
  /**
   * End of the last published window, in ISO 8601 (despite the field's name, not a partition). If the process owns several partitions of
   * the staging topic, the field contains the window end of the partition that is furthest behind.
   */
  readonly lastProcessedPartition: string | null
  readonly thresholdSeconds: number | null
  readonly stuck: boolean
  readonly reason?: string
}

export interface PropagationHealth {
  assigned(partitions: readonly AssignedPartition[]): void
  /**
   * Called after each commit. `windowEndMs` is the end of the window that the commit completed, or null if the commit completed no window.
   */
  progress(partition: number, windowEndMs: number | null): void
  /** From this call until the next publication of the partition, `report` shows the partition as halted. */
  halt(partition: number, reason: string): void
  end(reason: string): void
  /** A consumer that has stopped counts as one halted partition. */
  readonly halted: number
  /** The response body of the health endpoint. */
  report(): Promise<EventPropagationReport>
  start(): void
  stop(): void
}

export interface PropagationHealthDeps extends Omit<OwnerHealthDeps, 'name' | 'group' | 'thresholdMs'> {
  readonly windowMs: number
  readonly stuckThresholdMs: number
  readonly lagSeconds: GaugeInstrument<(typeof propagatorMetrics)['lagSeconds']>
  /** Returns milliseconds since the epoch. Only `lastRunStartedAt` in the health report comes from this clock. */
  readonly clock: () => number
}

export function createPropagationHealth(deps: PropagationHealthDeps): PropagationHealth {
  const { windowMs, stuckThresholdMs, lagSeconds, clock, monotonicNow } = deps
  // Spans of an open window wait although nothing is stuck. The threshold must therefore be longer than a window.
  const thresholdMs = Math.max(stuckThresholdMs, windowMs * 2)
  const owner = createOwnerHealth({ ...deps, name: 'staging-propagator', group: groupNames.propagator, thresholdMs })
  const windowEnds = new Map<number, number>()
  let lastProgress: { readonly wallMs: number; readonly at: number } | null = null
  const at = (partition: number) => ({ topic: topicNames.staging, partition })

  // The metric covers only the partitions that this process owns now, because the lag of a partition that it no longer owns could be
  // outdated.
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
