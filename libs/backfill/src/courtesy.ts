// When the backfill stands back: an operator's pause, hours of the day, a rate, and a column store that has enough to do. Live inserts come first.
import type { ColumnStore } from '@svc-server/column-store/port'

export interface Window {
  /** Minutes of the day, UTC; `from` may lie behind `to`: over midnight. */
  readonly from: number
  readonly to: number
}

/** `22:00-06:00`; null: not of this form. */
export function parseWindow(text: string): Window | null {
  const found = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/.exec(text)
  if (found === null) return null
  const [, a, b, c, d] = found.map(Number)
  const window = { from: a! * 60 + b!, to: c! * 60 + d! }
  return window.from === window.to ? null : window
}

export function isWithin({ from, to }: Window, nowMs: number): boolean {
  const minute = Math.floor(nowMs / 60_000) % 1440
  return from < to ? minute >= from && minute < to : minute >= from || minute < to
}

/** Milliseconds to wait before so many rows, that all rows since the start are not more than the rate allows. */
export function createRate(rowsPerSecond: number | null, clock: () => number): (rows: number) => number {
  let freeAtMs = 0
  return rows => {
    if (rowsPerSecond === null) return 0
    const now = clock()
    const wait = Math.max(0, freeAtMs - now)
    freeAtMs = Math.max(freeAtMs, now) + (rows / rowsPerSecond) * 1000
    return wait
  }
}

export interface Load {
  readonly queries: number
  readonly parts: number
}

/** Statements beside this one, and parts of the fullest month of the events tables. */
export async function loadOf(columnStore: Pick<ColumnStore, 'query'>): Promise<Load> {
  const [row] = await columnStore.query<{ queries: string; parts: string }>(
    `SELECT (SELECT count() FROM system.processes) - 1 AS queries, (SELECT max(parts) FROM (SELECT count() AS parts FROM system.parts
       WHERE database = currentDatabase() AND table IN ('events_full', 'events_core') AND active GROUP BY table, partition)) AS parts`,
  )
  return { queries: Number(row!.queries), parts: Number(row!.parts) }
}

/** Inserts are delayed by the engine itself from a thousand parts on; merges catch up long before. */
const maxParts = 150
const maxQueries = 16

/** Why it is better to wait; null: nothing speaks against a chunk. */
export function reasonToWait({ queries, parts }: Load): string | null {
  if (parts > maxParts) return `a month of the events tables has ${parts} parts, which merges have to join first`
  return queries > maxQueries ? `${queries} queries are running` : null
}
