// Decides when a window ends.
import { windowEnd } from '@svc-server/stream/window-end'
import type { OpenWindow } from './window.ts'

export interface Schedule {
  /** First boundary behind an append time. */
  endOf(timestampMs: number): number
  /**
   * Whether a window is over though no later record proves it: the log's clock has passed its end, or it has
   * been open for a whole window here while nothing more was to be read. The second holds also when the
   * broker's clock was set back. For a reader at the end of its partition.
   */
  isOver(window: OpenWindow, logNowMs: number | null): boolean
  /** How long until it is worth asking again, milliseconds. */
  waitMs(window: OpenWindow, logNowMs: number | null): number
  /** Longer than any window that is open now will take to be published. */
  readonly settledMs: number
}

export interface ScheduleOptions {
  readonly windowMs: number
  /**
   * Added to a boundary before time alone closes a window: brokers' clocks differ a little, and a batch takes
   * its time to be readable.
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
