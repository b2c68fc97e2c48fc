// The range of accepted start times. The column store is partitioned by month and accepts only a limited number of months per insert (F16),
// so the range is limited.
import { uint64Text } from './wire.ts'

export interface TimeWindow {
  readonly earliestMs: number
  readonly latestMs: number
}

/** Adds calendar months in UTC. Uses the last day of a resulting month that does not have the day. */
const addMonths = (atMs: number, months: number): number => {
  const from = new Date(atMs)
  const day = from.getUTCDate()
  const moved = new Date(atMs)
  moved.setUTCDate(1)
  moved.setUTCMonth(moved.getUTCMonth() + months)
  const days = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate()
  moved.setUTCDate(Math.min(day, days))
  return moved.getTime()
}

/** Returns the window [received - maxAgeMonths, received + 1 month], inclusive (architecture §5). */
export const timeWindow = (receivedAtMs: number, maxAgeMonths: number): TimeWindow => ({
  earliestMs: addMonths(receivedAtMs, -maxAgeMonths),
  latestMs: addMonths(receivedAtMs, 1),
})

/** `atMs` can have a fraction. */
export const inTimeWindow = ({ earliestMs, latestMs }: TimeWindow, atMs: number): boolean => atMs >= earliestMs && atMs <= latestMs

/** Doubles represent today's nanosecond times with a precision of 256 ns, enough for bounds in milliseconds. */
export const inWindow = (window: TimeWindow, low: number, high: number): boolean => inTimeWindow(window, (high * 4294967296 + low) / 1e6)

export const outsideWindow = (field: string, low: number, high: number, { earliestMs, latestMs }: TimeWindow): string => {
  const at = new Date(Math.floor((high * 4294967296 + low) / 1e6)).toISOString()
  return `${field} ${uint64Text(low, high)} (${at}) is outside ${new Date(earliestMs).toISOString()} to ${new Date(latestMs).toISOString()}.`
}
