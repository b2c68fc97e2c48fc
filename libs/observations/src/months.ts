// The months of a chunk and a few rows of each. After a doubtful insert the writer looks for these rows: a month is there or it is not.

/** A row by its full key, and where it came from. */
export interface Probe {
  readonly projectId: string
  readonly traceId: string
  readonly spanId: string
  /** Microseconds since the epoch, decimal. */
  readonly startTimeUs: string
  readonly provenance: string
}

export interface MonthRows {
  /** YYYYMM, UTC, as the tables are partitioned. */
  readonly month: number
  readonly rows: number
  readonly probes: readonly Probe[]
}

const dayUs = 86_400_000_000
const probesPerMonth = 8

/** Remembers the last day: nearly all spans of a chunk started on the same one. */
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

/** Months since the year 0, for distances between YYYYMM. */
export const monthNumber = (month: number): number => Math.floor(month / 100) * 12 + (month % 100) - 1

/**
 * Picks rows spread over all rows without knowing how many there will be: takes every stride-th row and doubles the stride when there are twice as
 * many as wanted. Almost no row makes an object.
 */
class MonthProbes {
  rows = 0
  #stride = 1
  #probes: Probe[] = []

  add(probe: () => Probe): void {
    if (this.rows % this.#stride === 0) {
      if (this.#probes.length === probesPerMonth * 2) {
        this.#probes = this.#probes.filter((_, i) => i % 2 === 0)
        this.#stride *= 2
      }
      if (this.rows % this.#stride === 0) this.#probes.push(probe())
    }
    this.rows++
  }

  /** Up to eight, evenly spread. */
  chosen(): readonly Probe[] {
    const all = this.#probes
    if (all.length <= probesPerMonth) return all
    return Array.from({ length: probesPerMonth }, (_, i) => all[Math.round((i * (all.length - 1)) / (probesPerMonth - 1))]!)
  }
}

export class ChunkMonths {
  readonly #months = new Map<number, MonthProbes>()

  add(month: number, probe: () => Probe): void {
    let probes = this.#months.get(month)
    if (probes === undefined) this.#months.set(month, (probes = new MonthProbes()))
    probes.add(probe)
  }

  /** Ascending by month. */
  finish(): readonly MonthRows[] {
    return [...this.#months].sort(([a], [b]) => a - b).map(([month, probes]) => ({ month, rows: probes.rows, probes: probes.chosen() }))
  }
}
