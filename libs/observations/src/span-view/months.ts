// Computes the month of a span's start time, because the tables are partitioned by month.

const dayUs = 86_400_000_000

/**
 * Returns a function that converts a time to its month (YYYYMM in UTC). The month of the last day is cached, because nearly all spans of a
 * chunk start on the same day.
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

/** Converts YYYYMM to months since year 0, so that the distance between two months is a subtraction. */
export const monthNumber = (month: number): number => Math.floor(month / 100) * 12 + (month % 100) - 1
