// The LMDB environment: record batches, a row for every partition, and the groups' offsets. A small index lists the batches. Fetches and
// retention choose batches from this index, without reading the batches' large pages.
import { randomUUID } from 'node:crypto'
import { AppError } from '@svc-server/errors'
import { type Database, open, type RootDatabase } from 'lmdb'
import type { CommittedOffset, LostRange } from '../port.ts'

export interface PartitionNumbers {
  readonly low: number
  readonly high: number
  readonly records: number
  readonly bytes: number
  readonly lastTimestampMs: number
  /** Compaction has processed all records below this offset. */
  readonly cleanedTo: number
}

export interface StoredPartition extends PartitionNumbers {
  readonly id: number
}

/** An index entry: the description of a stored batch. */
export interface BatchEntry {
  readonly baseOffset: number
  readonly nextOffset: number
  readonly timestampMs: number
  /** Bytes of keys and values. */
  readonly payloadBytes: number
  readonly bytes: number
  readonly records: number
}

export type Operation =
  | { readonly kind: 'put-batch'; readonly id: number; readonly entry: BatchEntry; readonly bytes: Buffer }
  /** Repairs the index entry of a stored batch. */
  | { readonly kind: 'put-entry'; readonly id: number; readonly entry: BatchEntry }
  | { readonly kind: 'put-lost'; readonly topic: string; readonly partition: number; readonly range: LostRange }
  | { readonly kind: 'remove-batch'; readonly id: number; readonly baseOffset: number }
  | { readonly kind: 'put-partition'; readonly topic: string; readonly partition: number; readonly stored: StoredPartition }
  | {
      readonly kind: 'put-offset'
      readonly group: string
      readonly topic: string
      readonly partition: number
      readonly committed: CommittedOffset
    }

interface StoredOffset extends CommittedOffset {
  readonly group: string
  readonly topic: string
  readonly partition: number
}

export interface Store {
  readonly logId: string
  /**
   * Writes one durable transaction; resolves after fdatasync. After a rejection with `log_unavailable`, the disk contains either the whole
   * transaction or nothing of it.
   */
  write(operations: readonly Operation[]): Promise<void>
  /**
   * Returns index entries, beginning with the batch that contains `offset`. If no batch contains `offset`, the entries begin with the next
   * batch.
   */
  entriesFrom(id: number, offset: number, limit: number): BatchEntry[]
  entry(id: number, baseOffset: number): BatchEntry | undefined
  lastEntry(id: number): BatchEntry | undefined
  /** Returns a copy of the batch, or undefined if it has been deleted. */
  batch(id: number, baseOffset: number): Buffer | undefined
  /** Returns the base offset of the first stored batch that begins at or after `offset`, even if the index has no entry for this batch. */
  bytesFrom(id: number, offset: number): number | undefined
  /** Returns the partition ids that have index entries, ascending. */
  ids(): number[]
  /**
   * Reads the partition's state from disk. While the outcome of the last write is unknown, the disk can have a newer state than the memory.
   */
  numbers(topic: string, partition: number): StoredPartition | undefined
  lost(): { readonly topic: string; readonly partition: number; readonly range: LostRange }[]
  partitions(): { readonly topic: string; readonly partition: number; readonly stored: StoredPartition }[]
  offsets(): StoredOffset[]
  close(): Promise<void>
}

const batchKey = (id: number, offset: number): Buffer => {
  const key = Buffer.allocUnsafe(12)
  key.writeUInt32BE(id, 0)
  key.writeUInt16BE(0, 4)
  key.writeUIntBE(offset, 6, 6)
  return key
}

const idKey = (id: number): Buffer => {
  const key = Buffer.allocUnsafe(4)
  key.writeUInt32BE(id, 0)
  return key
}

const encodeEntry = (entry: BatchEntry): Buffer => {
  const bytes = Buffer.allocUnsafe(28)
  bytes.writeDoubleLE(entry.nextOffset, 0)
  bytes.writeDoubleLE(entry.timestampMs, 8)
  bytes.writeUInt32LE(entry.payloadBytes, 16)
  bytes.writeUInt32LE(entry.bytes, 20)
  bytes.writeUInt32LE(entry.records, 24)
  return bytes
}

/** Returns undefined for an entry that is too damaged to be read. */
function decodeEntry(key: Buffer, value: Buffer): BatchEntry | undefined {
  if (key.length !== 12 || value.length !== 28) return undefined
  const entry = {
    baseOffset: key.readUIntBE(6, 6),
    nextOffset: value.readDoubleLE(0),
    timestampMs: value.readDoubleLE(8),
    payloadBytes: value.readUInt32LE(16),
    bytes: value.readUInt32LE(20),
    records: value.readUInt32LE(24),
  }
  return Number.isSafeInteger(entry.nextOffset) && entry.nextOffset > entry.baseOffset ? entry : undefined
}

export function openStore(directory: string): Store {
  const root: RootDatabase<string, string> = open({
    path: directory,
    noSubdir: false,
    encoding: 'json',
    maxDbs: 8,
    // With overlapping syncs, LMDB reports a commit before the sync, and only prints a message if the sync fails. Without overlapping
    // syncs, a commit resolves only after the sync, and rejects if the sync fails. Measurements show no slowdown.
    overlappingSync: false,
    // With batching, lmdb creates a second promise for each transaction. If a transaction fails, for example on a full disk, the rejection
    // of this promise cannot be caught, and would end the process.
    eventTurnBatching: false,
  })
  const binary = { encoding: 'binary', keyEncoding: 'binary' } as const
  const batches: Database<Buffer, Buffer> = root.openDB({ name: 'batches', ...binary })
  const index: Database<Buffer, Buffer> = root.openDB({ name: 'index', ...binary })
  const partitions: Database<StoredPartition, [string, number]> = root.openDB({ name: 'partitions', encoding: 'json' })
  const offsets: Database<CommittedOffset, [string, string, number]> = root.openDB({ name: 'offsets', encoding: 'json' })
  const lost: Database<LostRange, [string, number, number]> = root.openDB({ name: 'lost', encoding: 'json' })

  let logId = root.get('log-id')
  if (logId === undefined) {
    logId = randomUUID()
    root.putSync('log-id', logId)
  }

  const put = (operation: Operation): void => {
    switch (operation.kind) {
      case 'put-batch': {
        const key = batchKey(operation.id, operation.entry.baseOffset)
        batches.put(key, operation.bytes)
        index.put(key, encodeEntry(operation.entry))
        return
      }
      case 'put-entry':
        index.put(batchKey(operation.id, operation.entry.baseOffset), encodeEntry(operation.entry))
        return
      case 'put-lost':
        lost.put([operation.topic, operation.partition, operation.range.from], operation.range)
        return
      case 'remove-batch': {
        const key = batchKey(operation.id, operation.baseOffset)
        batches.remove(key)
        index.remove(key)
        return
      }
      case 'put-partition':
        partitions.put([operation.topic, operation.partition], operation.stored)
        return
      case 'put-offset':
        offsets.put([operation.group, operation.topic, operation.partition], operation.committed)
    }
  }

  return {
    logId,

    async write(operations) {
      try {
        await root.batch(() => operations.forEach(put))
      } catch (error) {
        // lmdb reports the cause in a second promise, which also rejects. If no code handled this rejection, it would end the process.
        const hidden = (error as { commitError?: Promise<never> }).commitError
        const cause = await (hidden ?? Promise.reject(error)).catch((reason: unknown) => reason)
        const reason = cause instanceof Error ? cause.message : String(cause)
        throw new AppError('log_unavailable', `The event log could not be written: ${reason}.`, {}, { cause })
      }
    },

    entriesFrom(id, offset, limit) {
      let start = batchKey(id, offset)
      for (const { key, value } of index.getRange({ start, end: idKey(id), reverse: true, limit: 1 })) {
        if ((decodeEntry(key, value)?.nextOffset ?? 0) > offset) start = Buffer.from(key)
      }
      const entries: BatchEntry[] = []
      for (const { key, value } of index.getRange({ start, end: idKey(id + 1), limit })) {
        const entry = decodeEntry(key, value)
        if (entry) entries.push(entry)
      }
      return entries
    },

    entry(id, baseOffset) {
      const key = batchKey(id, baseOffset)
      const value = index.getBinary(key)
      return value && decodeEntry(key, value)
    },

    lastEntry(id) {
      for (const { key, value } of index.getRange({ start: idKey(id + 1), end: idKey(id), reverse: true })) {
        const entry = decodeEntry(key, value)
        if (entry) return entry
      }
      return undefined
    },

    batch: (id, baseOffset) => batches.getBinary(batchKey(id, baseOffset)),

    bytesFrom(id, offset) {
      for (const key of batches.getKeys({ start: batchKey(id, offset), end: idKey(id + 1), limit: 1 })) return key.readUIntBE(6, 6)
      return undefined
    },

    ids() {
      const found: number[] = []
      for (let next = 0; ; ) {
        const [key] = index.getKeys({ start: idKey(next), limit: 1 })
        if (key === undefined) return found
        found.push(key.readUInt32BE(0))
        next = key.readUInt32BE(0) + 1
      }
    },

    numbers: (topic, partition) => partitions.get([topic, partition]),

    lost: () => [...lost.getRange()].map(({ key, value }) => ({ topic: key[0], partition: key[1], range: value })),

    partitions: () => [...partitions.getRange()].map(({ key, value }) => ({ topic: key[0], partition: key[1], stored: value })),

    offsets: () => [...offsets.getRange()].map(({ key, value }) => ({ group: key[0], topic: key[1], partition: key[2], ...value })),

    close: () => root.close(),
  }
}
