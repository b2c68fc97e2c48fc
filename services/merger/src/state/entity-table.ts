// A table with the entities of a partition. The table finds an entity by a hash of its key. The time of an entity's record determines when
// the entity expires.
import { hash } from 'node:crypto'
import { numbersKey } from '@svc-server/owner/store'
import type { Database } from 'lmdb'

const tag = { entity: 1, age: 2 } as const
const timeBytes = 6
const idBytes = 16

export interface EntityNumbers {
  readonly logId: string
  /** Offset of the first record of `entities` that is not applied yet. */
  readonly offset: number
  /** Latest append time of the applied records. The age of a record is this time minus the record's own append time. */
  readonly newestMs: number
}

interface StoredEntity {
  readonly timestampMs: number
  readonly record: Buffer
}

export interface EntityTable {
  /** Returns null if no record has been applied yet, or if the table is unreadable. */
  numbers(): EntityNumbers | null
  get(id: Buffer): StoredEntity | null
  /** Returns null if the table does not have the entity. */
  timeOf(id: Buffer): number | null
  /** Returns entity ids greater than `id`, ascending. Null stands for the beginning. */
  idsAfter(id: Buffer | null, limit: number): readonly Buffer[]
  /** Returns entities older than this time, oldest first. */
  olderThan(timestampMs: number, limit: number): { readonly timestampMs: number; readonly id: Buffer }[]
}

/** The hash is so long that a client cannot construct two keys with equal hashes. */
export const entityId = (key: Uint8Array): Buffer => hash('sha256', key, 'buffer').subarray(0, idBytes)

export const entityKeys = {
  entity: (id: Buffer): Buffer => Buffer.concat([Buffer.of(tag.entity), id]),
  age({ timestampMs, id }: { readonly timestampMs: number; readonly id: Buffer }): Buffer {
    const key = Buffer.allocUnsafe(1 + timeBytes + idBytes)
    key[0] = tag.age
    key.writeUIntBE(timestampMs, 1, timeBytes)
    key.set(id, 1 + timeBytes)
    return key
  },
}

export function encodeStored({ timestampMs, record }: { readonly timestampMs: number; readonly record: Uint8Array }): Buffer {
  const bytes = Buffer.allocUnsafe(timeBytes + record.length)
  bytes.writeUIntBE(timestampMs, 0, timeBytes)
  bytes.set(record, timeBytes)
  return bytes
}

export function createEntityTable(files: Database<Buffer, Buffer>): EntityTable {
  return {
    numbers() {
      const bytes = files.getBinary(numbersKey)
      try {
        return bytes === undefined ? null : (JSON.parse(bytes.toString()) as EntityNumbers)
      } catch {
        return null
      }
    },

    get(id) {
      const bytes = files.getBinary(entityKeys.entity(id))
      if (bytes === undefined) return null
      return { timestampMs: bytes.readUIntBE(0, timeBytes), record: bytes.subarray(timeBytes) }
    },

    timeOf(id) {
      // The bytes are not copied, because they can be megabytes and are read synchronously.
      const bytes = files.getBinaryFast(entityKeys.entity(id))
      return bytes === undefined ? null : bytes.readUIntBE(0, timeBytes)
    },

    idsAfter(id, limit) {
      const start = id === null ? Buffer.of(tag.entity) : Buffer.concat([entityKeys.entity(id), Buffer.of(0)])
      return [...files.getKeys({ start, end: Buffer.of(tag.age), limit })].map(key => Buffer.from(key.subarray(1)))
    },

    olderThan(timestampMs, limit) {
      const end = Buffer.alloc(1 + timeBytes)
      end[0] = tag.age
      end.writeUIntBE(Math.max(0, timestampMs), 1, timeBytes)
      return [...files.getKeys({ start: Buffer.of(tag.age), end, limit })].map(key => ({
        timestampMs: key.readUIntBE(1, timeBytes),
        id: Buffer.from(key.subarray(1 + timeBytes)),
      }))
    },
  }
}
