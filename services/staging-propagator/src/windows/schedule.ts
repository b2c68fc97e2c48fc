import { windowEnd } from '@svc-server/stream/window-end'
import type { OpenWindow } from './window.ts'

export interface Schedule {
  /** The first window boundary after an append time. */
  endOf(timestampMs: number): number
  /**
   * Decides whether a window at the end of the partition is over although no later record has arrived. It is over when the log's clock has
   * passed its end. If a broker's clock was set back, the window ends after being open for its whole length.
   */
  isOver(window: OpenWindow, logNowMs: number | null): boolean
  /** Milliseconds until the next check. */
  waitMs(window: OpenWindow, logNowMs: number | null): number
  /** Time after which all windows that are open now have been published. */
  readonly settledMs: number
}

export interface ScheduleOptions {
  readonly windowMs: number
  /** How long after its end an idle window closes. The clocks of brokers differ slightly, and a batch becomes readable with a delay. */
  readonly graceMs: number
  readonly partition: number
  readonly partitions: number
  readonly monotonicNow: () => number
}

const shortestWaitMs = 20
const asksPerWindow = 18

export function createSchedule({ windowMs, graceMs, partition, partitions, monotonicNow }: ScheduleOptions): Schedule {
  const leftMs = ({ endMs, openedAt }: OpenWindow, logNowMs: number | null) => {
    const byLog = logNowMs === null ? Number.POSITIVE_INFINITY : endMs + graceMs - logNowMs
    return Math.min(byLog, openedAt + windowMs + graceMs - monotonicNow())
  }
  return {
    settledMs: 2 * (windowMs + graceMs),
    endOf: timestampMs => windowEnd(timestampMs, { windowMs, partition, partitions }),
    isOver: (window, logNowMs) => leftMs(window, logNowMs) <= 0,
    waitMs: (window, logNowMs) => Math.max(shortestWaitMs, Math.min(leftMs(window, logNowMs), windowMs / asksPerWindow)),
  }
}
