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

/** Of a rate in one chunk: what a chunk costs however few rows it has is then a small part, and others wait for a fraction of a second. */
const secondsOfChunk = 5

/** Where a rate is asked for, chunks are small: others wait for the longest chunk, not for the average. */
export const paced = <Of extends { readonly maxRows: number }>(limits: Of, rowsPerSecond: number | null): Of =>
  rowsPerSecond === null ? limits : { ...limits, maxRows: Math.max(100, Math.min(limits.maxRows, rowsPerSecond * secondsOfChunk)) }

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

export interface Wait {
  readonly reason: string
  /** It could do harm to go on; otherwise others come first, but not for ever. */
  readonly isHard: boolean
}

const hard = (reason: string): Wait => ({ reason, isHard: true })
const soft = (reason: string): Wait => ({ reason, isHard: false })

/** Why it is better to wait; null: nothing speaks against a chunk. */
export function reasonToWait(load: Load): Wait | null {
  const { queries, parts, mergeShare, memoryShare, replicationQueue, lagMs } = load
  if ((parts ?? 0) > maxParts) return hard(`a month of the events tables has ${parts} parts, which merges have to join first`)
  if ((memoryShare ?? 0) > maxMemoryShare) return hard(`the column store has taken ${percent(memoryShare!)} of its memory`)
  if ((replicationQueue ?? 0) > maxReplicationQueue) return hard(`a replica has ${replicationQueue} entries still to do`)
  if (lagMs > maxLagMs) return soft(`what is accepted now waits ${(lagMs / 1000).toFixed(1)} s to be stored, which comes first`)
  if ((mergeShare ?? 0) > maxMergeShare) return soft(`${percent(mergeShare!)} of the column store's threads for merges are at work`)
  return (queries ?? 0) > maxQueries ? soft(`${queries} queries are running`) : null
}

const minPatienceMs = 10_000
const patienceOfChunk = 20
/** What lies between two chunks may have been an outage. */
const maxPatienceMs = 10 * 60_000

/** How long others come first at most: where there is always something, the backfill takes a twentieth of the time, and ends. */
export const patienceMs = (lastChunkMs: number): number => Math.min(maxPatienceMs, Math.max(minPatienceMs, lastChunkMs * patienceOfChunk))

/** Of the fullest disk. Null: unknown here. */
export interface Space {
  readonly freeBytes: number | null
  readonly totalBytes: number | null
}

export interface Disk extends Space {
  /** What the old tables take. */
  readonly sourceBytes: number | null
}

/** Bytes that the backfill writes for one of the old tables, at its fullest: 3.4 by its bench, a little more than contract §8.2 says. */
const diskFactor = 3.5
/** Below that, merges of large parts and live inserts are in danger. `svc doctor` has the same bound. */
export const minFreeShare = 0.05

const size = (bytes: number) => (bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.ceil(bytes / 1e6)} MB`)

export interface Headroom {
  /** A sentence. */
  readonly says: string
  /** unknown: nobody says how large the old tables are, or how much is free. */
  readonly state: 'enough' | 'too small' | 'unknown'
}

/** Whether it may begin. */
export function headroomOf({ freeBytes, totalBytes, sourceBytes }: Disk): Headroom {
  if (freeBytes === null || sourceBytes === null) {
    const unknown = [
      sourceBytes === null ? 'how large traces and observations are' : '',
      freeBytes === null ? 'how much the disk has free' : '',
    ]
    return {
      state: 'unknown',
      says: `Whether the disk has room is not checked: the column store's user may not read ${unknown.filter(Boolean).join(' and ')}. The backfill writes up to ${diskFactor} times what these tables take.`,
    }
  }
  const wanted = sourceBytes * diskFactor + (totalBytes ?? 0) * minFreeShare
  const message = `traces and observations take ${size(sourceBytes)}, the backfill writes up to ${diskFactor} times as much, and the disk has ${size(freeBytes)} free.`
  if (sourceBytes === 0 || freeBytes >= wanted) return { state: 'enough', says: message }
  return { state: 'too small', says: [message, `Give it ${size(wanted - freeBytes)} more; the backfill then begins by itself.`].join(' ') }
}

/** Why it has to stop; null: it may go on. */
export function spaceProblem({ freeBytes, totalBytes }: Space): string | null {
  if (freeBytes === null || totalBytes === null || freeBytes >= totalBytes * minFreeShare) return null
  return `the column store's disk has ${size(freeBytes)} of ${size(totalBytes)} free, less than ${percent(minFreeShare)}. What was written stays; the backfill goes on by itself when there is more.`
}
