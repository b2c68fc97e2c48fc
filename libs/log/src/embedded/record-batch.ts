// Encodes record batches in the store's format. A batch is encoded before the batch is queued. The encoding copies the batch's records, so
// a queued batch does not depend on the caller's buffers. The writer later adds offset, time and checksum.
import { crc32 } from 'node:zlib'
import { AppError } from '@svc-server/errors'
import type { LogRecord, NewRecord } from '../port.ts'

// Layout: crc u32 · version u8 · flags u8 · zero u16 · number of records u32 · number of offsets u32 · base offset f64 · time f64 · records
export const headerBytes = 32
const HEADER = headerBytes
const VERSION = 1
/** A flag: the batch's records contain their offsets, because compaction has removed some records. */
const SPARSE = 1
const ABSENT = -1

export interface PendingBatch {
  /** The first bytes are free for the header; the records follow. */
  readonly bytes: Buffer
  readonly bodyCrc: number
  readonly records: number
  readonly payloadBytes: number
}

export interface BatchHeader {
  readonly baseOffset: number
  readonly nextOffset: number
  readonly timestampMs: number
}

export interface DecodedBatch extends BatchHeader {
  /** The records are views of this buffer. */
  readonly bytes: Buffer
  readonly records: readonly LogRecord[]
  /** True if compaction has removed records of the batch. */
  readonly sparse: boolean
}

const sizeOf = (record: { readonly key: Uint8Array | null; readonly value: Uint8Array | null }): number =>
  (record.key?.length ?? 0) + (record.value?.length ?? 0)

/** Bytes of key and value. */
export const payloadBytesOf = sizeOf

function encodeRecords(records: readonly { key: Uint8Array | null; value: Uint8Array | null; delta?: number }[], sparse: boolean) {
  const frame = sparse ? 12 : 8
  let payloadBytes = 0
  for (const record of records) payloadBytes += sizeOf(record)
  const bytes = Buffer.allocUnsafeSlow(HEADER + records.length * frame + payloadBytes)
  let at = HEADER
  for (const { key, value, delta } of records) {
    at = bytes.writeInt32LE(key === null ? ABSENT : key.length, at)
    at = bytes.writeInt32LE(value === null ? ABSENT : value.length, at)
    if (sparse) at = bytes.writeUInt32LE(delta ?? 0, at)
    if (key !== null) {
      bytes.set(key, at)
      at += key.length
    }
    if (value !== null) {
      bytes.set(value, at)
      at += value.length
    }
  }
  return { bytes, payloadBytes }
}

/** Encodes records that get consecutive offsets. */
export function encodeBatch(records: readonly NewRecord[]): PendingBatch {
  const { bytes, payloadBytes } = encodeRecords(records, false)
  return { bytes, payloadBytes, records: records.length, bodyCrc: crc32(bytes.subarray(HEADER)) }
}

/** Merges batches, so that fewer index entries are written, searched and read. */
export function mergeBatches(batches: readonly PendingBatch[]): PendingBatch {
  if (batches.length === 1) return batches[0]!
  let size = HEADER
  let records = 0
  let payloadBytes = 0
  for (const batch of batches) {
    size += batch.bytes.length - HEADER
    records += batch.records
    payloadBytes += batch.payloadBytes
  }
  const bytes = Buffer.allocUnsafeSlow(size)
  let at = HEADER
  for (const batch of batches) at += batch.bytes.copy(bytes, at, HEADER)
  return { bytes, records, payloadBytes, bodyCrc: crc32(bytes.subarray(HEADER)) }
}

function seal(bytes: Buffer, bodyCrc: number, flags: number, records: number, header: BatchHeader): Buffer {
  bytes[4] = VERSION
  bytes[5] = flags
  bytes.writeUInt16LE(0, 6)
  bytes.writeUInt32LE(records, 8)
  bytes.writeUInt32LE(header.nextOffset - header.baseOffset, 12)
  bytes.writeDoubleLE(header.baseOffset, 16)
  bytes.writeDoubleLE(header.timestampMs, 24)
  // Only the header's 28 bytes are hashed here, because the body's checksum already exists.
  bytes.writeUInt32LE(crc32(bytes.subarray(4, HEADER), bodyCrc), 0)
  return bytes
}

export const sealBatch = (pending: PendingBatch, baseOffset: number, timestampMs: number): Buffer =>
  seal(pending.bytes, pending.bodyCrc, 0, pending.records, { baseOffset, nextOffset: baseOffset + pending.records, timestampMs })

/** Encodes records that keep their offsets after compaction. */
export function encodeSparseBatch(header: BatchHeader, records: readonly LogRecord[]): { bytes: Buffer; payloadBytes: number } {
  const { bytes, payloadBytes } = encodeRecords(
    records.map(({ key, value, offset }) => ({ key, value, delta: offset - header.baseOffset })),
    true,
  )
  return { bytes: seal(bytes, crc32(bytes.subarray(HEADER)), SPARSE, records.length, header), payloadBytes }
}

/** Decodes a batch, whose records are views of `bytes`. Throws `log_corrupt` when the checksum does not match. */
export function decodeBatch(bytes: Buffer, topic: string, partition: number): DecodedBatch {
  if (bytes.length < HEADER || crc32(bytes.subarray(4, HEADER), crc32(bytes.subarray(HEADER))) !== bytes.readUInt32LE(0)) {
    throw new AppError('log_corrupt', `A batch of ${topic}/${partition} has a wrong checksum.`, { topic, partition })
  }
  if (bytes[4] !== VERSION) {
    throw new AppError('log_corrupt', `A batch of ${topic}/${partition} has format ${bytes[4]}; this version reads ${VERSION}.`, {
      topic,
      partition,
    })
  }
  const sparse = (bytes[5]! & SPARSE) !== 0
  const count = bytes.readUInt32LE(8)
  const baseOffset = bytes.readDoubleLE(16)
  const timestampMs = bytes.readDoubleLE(24)
  const records: LogRecord[] = []
  let at = HEADER
  for (let i = 0; i < count; i++) {
    const keyLength = bytes.readInt32LE(at)
    const valueLength = bytes.readInt32LE(at + 4)
    const offset = baseOffset + (sparse ? bytes.readUInt32LE(at + 8) : i)
    at += sparse ? 12 : 8
    const key = keyLength === ABSENT ? null : bytes.subarray(at, (at += keyLength))
    const value = valueLength === ABSENT ? null : bytes.subarray(at, (at += valueLength))
    records.push({ topic, partition, offset, timestampMs, key, value })
  }
  return { bytes, baseOffset, nextOffset: baseOffset + bytes.readUInt32LE(12), timestampMs, records, sparse }
}
