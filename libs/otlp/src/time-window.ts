// Checks start times. The tables are partitioned by month, so the column store accepts only a limited number of months per insert (F16).
import { uint64Text } from './wire.ts'

export interface TimeWindow {
  readonly earliestMs: number
  readonly latestMs: number
}

/** Adds calendar months. If the resulting month does not have the day, the result is the month's last day. */
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

/** The window [received - maxAgeMonths, received + 1 month] includes both ends (architecture §5). */
export const timeWindow = (receivedAtMs: number, maxAgeMonths: number): TimeWindow => ({
  earliestMs: addMonths(receivedAtMs, -maxAgeMonths),
  latestMs: addMonths(receivedAtMs, 1),
})

/** `atMs` can have a fraction. */
export const inTimeWindow = ({ earliestMs, latestMs }: TimeWindow, atMs: number): boolean => atMs >= earliestMs && atMs <= latestMs

/**
 * True if a time in nanoseconds (given as two 32-bit halves) is in the window. As a double, the time has a precision of 256 ns, which is
 * enough for bounds in milliseconds.
 */
export const inWindow = (window: TimeWindow, low: number, high: number): boolean => inTimeWindow(window, (high * 4294967296 + low) / 1e6)

export const outsideWindow = (field: string, low: number, high: number, { earliestMs, latestMs }: TimeWindow): string => {
  const at = new Date(Math.floor((high * 4294967296 + low) / 1e6)).toISOString()
  return `${field} ${uint64Text(low, high)} (${at}) is outside ${new Date(earliestMs).toISOString()} to ${new Date(latestMs).toISOString()}.`
}
