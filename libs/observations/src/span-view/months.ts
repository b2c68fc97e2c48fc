// The tables are partitioned by the month in which a span starts.

const dayUs = 86_400_000_000

/**
 * The month is YYYYMM in UTC. Nearly all spans of a chunk start on the same day, so the function keeps the day of the previous span and the
 * month of that day.
 */
export function createMonthOf(): (startUs: number) => number {
  let lastDay = Number.NaN
  let lastMonth = 0
  return startUs => {
    const day = Math.floor(startUs / dayUs)
    if (day !== lastDay) {
      const date = new Date(day * 86_400_000)
      lastDay = day
      lastMonth = date.getUTCFullYear() * 100 + date.getUTCMonth() + 1
    }
    return lastMonth
  }
}

/** Months since year 0. */
export const monthNumber = (month: number): number => Math.floor(month / 100) * 12 + (month % 100) - 1
