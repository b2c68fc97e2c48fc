// Decides when the backfill waits. The backfill waits outside of its allowed hours, and when it exceeds its rate. The backfill also waits
// while the column store or the live path is busy, or while a disk is nearly full.

export interface Window {
  /** Minutes since midnight UTC. If `from` is after `to`, the window spans midnight. */
  readonly from: number
  readonly to: number
}

/** Parses a window such as `22:00-06:00`. Returns null for any other text. */
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

/**
 * Returns a function that takes the number of rows of a chunk. The function returns the number of milliseconds to wait before this chunk.
 */
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

/**
 * If a rate is set, a chunk has at most as many rows as the rate allows in this number of seconds. After a chunk of this size, the backfill
 * pauses until this number of seconds has passed since the chunk began. Chunks of this size are large enough that the fixed cost of a chunk
 * is small. The chunks are small enough to end in less than a second, because other work may have to wait until a chunk ends.
 */
const secondsOfChunk = 5

/** If a rate is set, limits the number of rows in a chunk, because other work may have to wait until a chunk ends. */
export const paced = <Of extends { readonly maxRows: number }>(limits: Of, rowsPerSecond: number | null): Of =>
  rowsPerSecond === null ? limits : { ...limits, maxRows: Math.max(100, Math.min(limits.maxRows, rowsPerSecond * secondsOfChunk)) }

/** A field is null if the backfill cannot read the value in this deployment. */
export interface Load {
  /** Number of statements that are running and do not belong to the backfill. */
  readonly queries: number | null
  /** The largest number of parts that one month has in one of the events tables. */
  readonly parts: number | null
  /** Share of the merge threads that are busy, from 0 to 1. */
  readonly mergeShare: number | null
  /** Share of the server's memory limit that is used, from 0 to 1. */
  readonly memoryShare: number | null
  /** Number of entries in the replication queue that the slowest replica has not processed yet. */
  readonly replicationQueue: number | null
  /** Age of the oldest record that writers have not stored. */
  readonly lagMs: number
}

/** The engine delays inserts if a month has a thousand parts. This limit is much lower, so that merges can reduce the parts in time. */
const maxParts = 150
const maxQueries = 16
const maxMergeShare = 0.9
const maxMemoryShare = 0.85
const maxReplicationQueue = 100
/**
 * Maximum lag of the live path. It is less than five seconds, because svc promises that real-time spans are readable within five seconds.
 */
const maxLagMs = 4_000

const percent = (share: number) => `${Math.round(share * 100)} %`

export interface Wait {
  readonly reason: string
  /**
   * True if the next chunk would harm the column store, so that the backfill must wait without a time limit. False if the backfill only
   * gives way to other work, for a limited time.
   */
  readonly isHard: boolean
}

const hard = (reason: string): Wait => ({ reason, isHard: true })
const soft = (reason: string): Wait => ({ reason, isHard: false })

/** Returns the reason for which a chunk must wait; null if the chunk can run. */
export function reasonToWait(load: Load): Wait | null {
  const { queries, parts, mergeShare, memoryShare, replicationQueue, lagMs } = load
  if ((parts ?? 0) > maxParts) return hard(`a month of the events tables has ${parts} parts, which merges have to join first`)
  if ((memoryShare ?? 0) > maxMemoryShare) return hard(`the column store uses ${percent(memoryShare!)} of its memory`)
  if ((replicationQueue ?? 0) > maxReplicationQueue) return hard(`a replica still has to process ${replicationQueue} entries of its queue`)
  if (lagMs > maxLagMs) return soft(`new data waits ${(lagMs / 1000).toFixed(1)} s to be stored, and has priority`)
  if ((mergeShare ?? 0) > maxMergeShare) return soft(`${percent(mergeShare!)} of the column store's merge threads are busy`)
  return (queries ?? 0) > maxQueries ? soft(`${queries} queries are running`) : null
}

const minPatienceMs = 10_000
const patienceOfChunk = 20
/**
 * Maximum result of `patienceMs`. An outage between two chunks counts toward the duration of the earlier chunk. Without this maximum, the
 * outage could make the result very large.
 */
const maxPatienceMs = 10 * 60_000

/**
 * Maximum time for which other work can delay a chunk. It is twenty times the duration of the last chunk, but at least `minPatienceMs` and
 * at most `maxPatienceMs`. Even on a busy server, the backfill therefore gets about a twentieth of the time.
 */
export const patienceMs = (lastChunkMs: number): number => Math.min(maxPatienceMs, Math.max(minPatienceMs, lastChunkMs * patienceOfChunk))

/** A field is null if the backfill cannot read the value in this deployment. */
export interface Space {
  readonly freeBytes: number | null
  readonly totalBytes: number | null
}

export interface Disk extends Space {
  readonly sourceBytes: number | null
}

/**
 * The backfill needs at most this many bytes of disk space for each byte of the old tables. The benchmark measured 3.4 bytes. Contract §8.2
 * states about three.
 */
const diskFactor = 3.5
/** Minimum free share of a disk. Live inserts, and merges of large parts, need this space. `svc doctor` uses the same limit. */
export const minFreeShare = 0.05

const size = (bytes: number) => (bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.ceil(bytes / 1e6)} MB`)

export interface Headroom {
  /** A sentence for the operator. */
  readonly says: string
  /** `unknown` if the column store's user cannot read the sizes of the disk or of the tables. */
  readonly state: 'enough' | 'too small' | 'unknown'
}

export function headroomOf({ freeBytes, totalBytes, sourceBytes }: Disk): Headroom {
  if (freeBytes === null || sourceBytes === null) {
    const unknown = [
      sourceBytes === null ? 'how large traces and observations are' : '',
      freeBytes === null ? 'how much the disk has free' : '',
    ]
    return {
      state: 'unknown',
      says: `Whether the disk has enough free space is not checked, because the column store's user cannot read ${unknown.filter(Boolean).join(' and ')}. The backfill writes up to ${diskFactor} times the size of the tables traces and observations.`,
    }
  }
  const wanted = sourceBytes * diskFactor + (totalBytes ?? 0) * minFreeShare
  const message = `traces and observations take ${size(sourceBytes)}, the backfill writes up to ${diskFactor} times as much, and the disk has ${size(freeBytes)} free.`
  if (sourceBytes === 0 || freeBytes >= wanted) return { state: 'enough', says: message }
  return { state: 'too small', says: [message, `Add ${size(wanted - freeBytes)}. The backfill then begins automatically.`].join(' ') }
}

/** Returns a message for operators if the disk has too little free space for the backfill to continue. Otherwise returns null. */
export function spaceProblem({ freeBytes, totalBytes }: Space): string | null {
  if (freeBytes === null || totalBytes === null || freeBytes >= totalBytes * minFreeShare) return null
  return `the column store's disk has ${size(freeBytes)} of ${size(totalBytes)} free, less than ${percent(minFreeShare)}. Rows that were already written stay, and the backfill continues automatically once more space is free.`
}
