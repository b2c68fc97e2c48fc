// The byte layout of a partition's table. Keys have fixed sizes and begin with a tag that tells what the entry contains. The keys of
// windows come after all other keys, sorted by the end of the window. New windows therefore fill pages at the end of the table, and expired
// windows free whole pages. The index by trace is read in random order, so it must stay in the page cache. The index is small enough for
// the page cache.
import { hash } from 'node:crypto'
import { numbersKey } from '@svc-server/owner/store'

const tag = { trace: 1, pending: 2, project: 3, window: 4 } as const

/** Largest offset, time or `place` that fits into six bytes. */
export const maxPosition = 2 ** 48 - 1
const positionBytes = 6
const idBytes = 16
const markBytes = 8
const entryBytes = 3 * positionBytes + markBytes

export interface Entry {
  readonly firstOffset: number
  readonly endMs: number
  /** Offset of the window's first changelog record. `place` and `endMs` together are the window's key. */
  readonly place: number
  /** Hash of the attributes that the last publication added. */
  readonly mark: string
}

/**
 * Returns a hash of an id. Keys contain this hash instead of the id of a trace or a project. The hash is so long that a client cannot
 * construct two ids with equal hashes.
 */
export const idOf = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer').subarray(0, idBytes)

const hexMark = /^[0-9a-f]{16}$/

export const markOf = (fill: string): string =>
  (hexMark.test(fill) ? Buffer.from(fill, 'hex') : idOf(Buffer.from(fill)).subarray(0, markBytes)).toString('latin1')

const idKey = (table: number, id: Buffer): Buffer => {
  const key = Buffer.allocUnsafe(1 + idBytes)
  key[0] = table
  key.set(id, 1)
  return key
}

export const keys = {
  numbers: numbersKey,
  trace: (id: Buffer): Buffer => idKey(tag.trace, id),
  pending: (id: Buffer): Buffer => idKey(tag.pending, id),
  project: (projectId: string): Buffer => idKey(tag.project, idOf(Buffer.from(projectId))),
  window({ endMs, place }: Pick<Entry, 'endMs' | 'place'>): Buffer {
    const key = Buffer.allocUnsafe(1 + 2 * positionBytes)
    key[0] = tag.window
    key.writeUIntBE(endMs, 1, positionBytes)
    key.writeUIntBE(place, 1 + positionBytes, positionBytes)
    return key
  },
  allPending: { start: Buffer.of(tag.pending), end: Buffer.of(tag.pending + 1) },
  windowsBefore: (endMs: number) => ({ start: Buffer.of(tag.window), end: keys.window({ endMs, place: 0 }) }),
}

export const parseWindowKey = (key: Buffer): Pick<Entry, 'endMs' | 'place'> => ({
  endMs: key.readUIntBE(1, positionBytes),
  place: key.readUIntBE(1 + positionBytes, positionBytes),
})

/** The entries must be sorted by their first offset. */
export function encodeEntries(entries: readonly Entry[]): Buffer {
  const bytes = Buffer.allocUnsafe(entries.length * entryBytes)
  let at = 0
  for (const { firstOffset, endMs, place, mark } of entries) {
    at = bytes.writeUIntBE(firstOffset, at, positionBytes)
    at = bytes.writeUIntBE(endMs, at, positionBytes)
    at = bytes.writeUIntBE(place, at, positionBytes)
    at += bytes.write(mark, at, 'latin1')
  }
  return bytes
}

function entryAt(bytes: Buffer, at: number): Entry {
  return {
    firstOffset: bytes.readUIntBE(at, positionBytes),
    endMs: bytes.readUIntBE(at + positionBytes, positionBytes),
    place: bytes.readUIntBE(at + 2 * positionBytes, positionBytes),
    mark: bytes.toString('latin1', at + 3 * positionBytes, at + entryBytes),
  }
}

export function decodeEntries(bytes: Buffer): Entry[] {
  const entries: Entry[] = []
  for (let at = 0; at < bytes.length; at += entryBytes) entries.push(entryAt(bytes, at))
  return entries
}

export const newestEntry = (bytes: Buffer): Entry => entryAt(bytes, bytes.length - entryBytes)

/** The stored window includes the trace's key. When the window expires, the fold uses this key to update the trace and its project. */
export function encodeStoredWindow(traceKey: Uint8Array, record: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(2 + traceKey.length + record.length)
  bytes.writeUInt16BE(traceKey.length)
  bytes.set(traceKey, 2)
  bytes.set(record, 2 + traceKey.length)
  return bytes
}

export function parseStoredWindow(bytes: Buffer): { readonly traceKey: Buffer; readonly record: Buffer } {
  const end = 2 + bytes.readUInt16BE()
  return { traceKey: bytes.subarray(2, end), record: bytes.subarray(end) }
}

export function encodeCount(count: number): Buffer {
  const bytes = Buffer.allocUnsafe(positionBytes)
  bytes.writeUIntBE(count, 0, positionBytes)
  return bytes
}

export const decodeCount = (bytes: Buffer): number => bytes.readUIntBE(0, positionBytes)

/** The checkpoint and the totals of a table. Each transaction that changes the table also writes these numbers. */
export interface Numbers {
  /** Id of the log to which `offset` refers. */
  readonly logId: string
  /** Offset of the first changelog record that is not yet applied. */
  readonly offset: number
  /** The latest end of any window, or 0 if there was no window. A window's age is this value minus the window's end. */
  readonly newestEndMs: number
  /** Append time of the newest applied record; null before the first record. */
  readonly newestTimestampMs: number | null
  readonly traces: number
  readonly windows: number
  readonly pending: number
}

export const emptyNumbers = (logId: string, offset: number): Numbers => ({
  logId,
  offset,
  newestEndMs: 0,
  newestTimestampMs: null,
  traces: 0,
  windows: 0,
  pending: 0,
})
