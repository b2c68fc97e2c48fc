// The LMDB environment: record batches, a small index beside them (so that planning a fetch or retention never touches the large pages),
// the numbers of every partition and the groups' offsets. One call of `write` is one transaction.
import { randomUUID } from 'node:crypto'
import { AppError } from '@svc-server/errors'
import { type Database, open, type RootDatabase } from 'lmdb'
import type { CommittedOffset } from '../port.ts'

export interface PartitionNumbers {
  /** First offset that is kept. */
  readonly low: number
  /** Next offset to be appended. */
  readonly high: number
  readonly records: number
  readonly bytes: number
  readonly lastTimestampMs: number
  /** Compaction has gone over everything below. */
  readonly cleanedTo: number
}

export interface StoredPartition extends PartitionNumbers {
  readonly id: number
}

/** One stored batch, without its bytes. */
export interface BatchEntry {
  readonly baseOffset: number
  readonly nextOffset: number
  readonly timestampMs: number
  /** Bytes of keys and values. */
  readonly payloadBytes: number
  /** Bytes as stored. */
  readonly bytes: number
  readonly records: number
}

export type Operation =
  | { readonly kind: 'put-batch'; readonly id: number; readonly entry: BatchEntry; readonly bytes: Buffer }
  | { readonly kind: 'remove-batch'; readonly id: number; readonly baseOffset: number }
  | { readonly kind: 'put-partition'; readonly topic: string; readonly partition: number; readonly stored: StoredPartition }
  | {
      readonly kind: 'put-offset'
      readonly group: string
      readonly topic: string
      readonly partition: number
      readonly committed: CommittedOffset
    }

export interface StoredOffset extends CommittedOffset {
  readonly group: string
  readonly topic: string
  readonly partition: number
}

export interface Store {
  readonly logId: string
  /** One durable transaction: resolves after fdatasync, rejects with `log_unavailable` and then nothing or all of it is there. */
  write(operations: readonly Operation[]): Promise<void>
  /** Up to `limit` batches, from the one that holds `offset` or the first one behind it. */
  entriesFrom(id: number, offset: number, limit: number): BatchEntry[]
  /** A copy of a batch's bytes that nothing changes; undefined when it is gone. */
  batch(id: number, baseOffset: number): Buffer | undefined
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

const decodeEntry = (key: Buffer, value: Buffer): BatchEntry => ({
  baseOffset: key.readUIntBE(6, 6),
  nextOffset: value.readDoubleLE(0),
  timestampMs: value.readDoubleLE(8),
  payloadBytes: value.readUInt32LE(16),
  bytes: value.readUInt32LE(20),
  records: value.readUInt32LE(24),
})

export function openStore(directory: string): Store {
  const root: RootDatabase<string, string> = open({
    path: directory,
    noSubdir: false,
    encoding: 'json',
    maxDbs: 8,
    // With overlapping syncs a failed sync is only printed: the commit has been reported and `flushed` never settles. Off, a commit
    // is answered after fdatasync and the synchronous write of the meta page, and a failure rejects. Measured: not slower.
    overlappingSync: false,
    // Event-turn batches make a second promise per transaction that nobody can catch: a full disk would end the process.
    eventTurnBatching: false,
  })
  const binary = { encoding: 'binary', keyEncoding: 'binary' } as const
  const batches: Database<Buffer, Buffer> = root.openDB({ name: 'batches', ...binary })
  const index: Database<Buffer, Buffer> = root.openDB({ name: 'index', ...binary })
  const partitions: Database<StoredPartition, [string, number]> = root.openDB({ name: 'partitions', encoding: 'json' })
  const offsets: Database<CommittedOffset, [string, string, number]> = root.openDB({ name: 'offsets', encoding: 'json' })

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
        // lmdb hides the cause in a promise of its own, which must be caught or it ends the process.
        const hidden = (error as { commitError?: Promise<never> }).commitError
        const cause = await (hidden ?? Promise.reject(error)).catch((reason: unknown) => reason)
        const reason = cause instanceof Error ? cause.message : String(cause)
        throw new AppError('log_unavailable', `The event log could not be written: ${reason}.`, {}, { cause })
      }
    },

    entriesFrom(id, offset, limit) {
      let start = batchKey(id, offset)
      for (const { key, value } of index.getRange({ start, end: idKey(id), reverse: true, limit: 1 })) {
        if (decodeEntry(key, value).nextOffset > offset) start = Buffer.from(key)
      }
      const entries: BatchEntry[] = []
      for (const { key, value } of index.getRange({ start, end: idKey(id + 1), limit })) entries.push(decodeEntry(key, value))
      return entries
    },

    batch: (id, baseOffset) => batches.getBinary(batchKey(id, baseOffset)),

    partitions: () => [...partitions.getRange()].map(({ key, value }) => ({ topic: key[0], partition: key[1], stored: value })),

    offsets: () => [...offsets.getRange()].map(({ key, value }) => ({ group: key[0], topic: key[1], partition: key[2], ...value })),

    close: () => root.close(),
  }
}
