// Decides when a window ends.
import { windowEnd } from '@svc-server/stream/window-end'
import type { OpenWindow } from './window.ts'

export interface Schedule {
  /** The first window boundary after an append time. */
  endOf(timestampMs: number): number
  /**
   * Decides, for a reader at the end of its partition, whether a window is over although no later record has arrived. A window is over in
   * two cases: the log's clock has passed the window's end, or the window has been open for its whole length without new records. The rule
   * about the whole length covers a broker whose clock was set back.
   */
  isOver(window: OpenWindow, logNowMs: number | null): boolean
  /** Milliseconds until the next check is useful. */
  waitMs(window: OpenWindow, logNowMs: number | null): number
  /** Duration after which all windows that are open now have certainly been published. */
  readonly settledMs: number
}

export interface ScheduleOptions {
  readonly windowMs: number
  /**
   * How long after its boundary a window is closed although no later record has arrived. The window waits because the clocks of brokers
   * differ slightly, and because a batch becomes readable with a delay.
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
