import { windowEnd } from '@svc-server/stream/window-end'
import type { OpenWindow } from './window.ts'

export interface Schedule {
  /** Returns the first window boundary after the append time. */
  endOf(timestampMs: number): number
  /**
   * Returns true if a window at the end of the partition must close although no later record has arrived. The window closes when the log's
   * time passes the window's end plus `graceMs`. If a broker's clock was set back, the window closes after it has been open for its length
   * plus `graceMs`.
   */
  isOver(window: OpenWindow, logNowMs: number | null): boolean
  /** Milliseconds until the next check. */
  waitMs(window: OpenWindow, logNowMs: number | null): number
  /** Milliseconds until all windows that are open now will have been published. */
  readonly settledMs: number
}

export interface ScheduleOptions {
  readonly windowMs: number
  /**
   * On an idle partition, a window closes this many milliseconds after the window's end. The delay is necessary, because the clocks of
   * brokers differ slightly and a batch becomes readable only after some time.
   */
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
