// When the backfill stands back: hours of the day, a rate, a column store that has enough to do, a live path that is behind, a disk that is nearly full. Pure.

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

/** Where a rate is asked for, no chunk is more than a second of it: others wait for the longest chunk, not for the average. */
export const paced = <Of extends { readonly maxRows: number }>(limits: Of, rowsPerSecond: number | null): Of =>
  rowsPerSecond === null ? limits : { ...limits, maxRows: Math.max(100, Math.min(limits.maxRows, rowsPerSecond)) }

/** Null: unknown here. */
export interface Load {
  /** Statements beside the backfill's. */
  readonly queries: number | null
  /** Of the fullest month of the events tables. */
  readonly parts: number | null
  /** Of the threads for merges, how many are at work, 0 to 1. */
  readonly mergeShare: number | null
  /** Of the memory that the server may take, 0 to 1. */
  readonly memoryShare: number | null
  /** Entries that the slowest replica has still to do. */
  readonly replicationQueue: number | null
  /** How long the oldest record waits that writers have not stored. */
  readonly lagMs: number
}

/** Inserts are delayed by the engine itself from a thousand parts on; merges catch up long before. */
const maxParts = 150
const maxQueries = 16
const maxMergeShare = 0.9
const maxMemoryShare = 0.85
const maxReplicationQueue = 100
/** Real-time spans are promised within five seconds. */
const maxLagMs = 4_000

const percent = (share: number) => `${Math.round(share * 100)} %`

/** Why it is better to wait; null: nothing speaks against a chunk. */
export function reasonToWait(load: Load): string | null {
  const { queries, parts, mergeShare, memoryShare, replicationQueue, lagMs } = load
  if (lagMs > maxLagMs) return `what is accepted now waits ${(lagMs / 1000).toFixed(1)} s to be stored, which comes first`
  if ((parts ?? 0) > maxParts) return `a month of the events tables has ${parts} parts, which merges have to join first`
  if ((mergeShare ?? 0) > maxMergeShare) return `${percent(mergeShare!)} of the column store's threads for merges are at work`
  if ((memoryShare ?? 0) > maxMemoryShare) return `the column store has taken ${percent(memoryShare!)} of its memory`
  if ((replicationQueue ?? 0) > maxReplicationQueue) return `a replica has ${replicationQueue} entries still to do`
  return (queries ?? 0) > maxQueries ? `${queries} queries are running` : null
}

/** Of the fullest disk, and what the old tables take. Null: unknown here. */
export interface Disk {
  readonly freeBytes: number | null
  readonly totalBytes: number | null
  readonly sourceBytes: number | null
}

/** Bytes that the backfill writes for one of the old tables, at its fullest (contract §8.2); not measured. */
const diskFactor = 3
/** Below that, merges of large parts and live inserts are in danger. */
const minFreeShare = 0.05

const size = (bytes: number) => (bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.ceil(bytes / 1e6)} MB`)

/** Why it may not begin; null: there is room, or nobody says how much. */
export function headroomProblem({ freeBytes, totalBytes, sourceBytes }: Disk): string | null {
  if (freeBytes === null || !sourceBytes) return null
  const wanted = sourceBytes * diskFactor + (totalBytes ?? 0) * minFreeShare
  if (freeBytes >= wanted) return null
  return `traces and observations take ${size(sourceBytes)}, the backfill writes up to ${diskFactor} times as much, and the disk has ${size(freeBytes)} free. Give it ${size(wanted - freeBytes)} more; the backfill then begins by itself.`
}

/** Why it has to stop; null: it may go on. */
export function spaceProblem({ freeBytes, totalBytes }: Disk): string | null {
  if (freeBytes === null || totalBytes === null || freeBytes >= totalBytes * minFreeShare) return null
  return `the column store's disk has ${size(freeBytes)} of ${size(totalBytes)} free, less than ${percent(minFreeShare)}. What was written stays; the backfill goes on by itself when there is more.`
}
