// Encodes and decodes one record type in all its versions, in Avro's single-object encoding (C3 01, CRC-64-AVRO little endian, body). Avro
// libraries are unsuitable: they copy payloads of megabytes when they read a record, and do not check the counts of arrays.
import { AvroCursor } from './cursor.ts'
import { fingerprintOf, fingerprintText } from './fingerprint.ts'
import { compileRead, type Read } from './read.ts'
import type { AvroRecord } from './schema.ts'
import { AvroSink } from './sink.ts'
import { compileSkip } from './skip.ts'
import { UndecodableRecord } from './undecodable-record.ts'
import { compileWrite } from './write.ts'

const headerBytes = 10
/** Initial size of the buffer: large enough for all fields except payloads, and small enough for Node's buffer pool. */
const smallBytes = 512

export interface RecordCodec<T> {
  /** Writes into `room` if it is large enough. */
  encode(value: T, room?: Buffer): Buffer
  /** `bytes` fields of the result are views of the input. Throws UndecodableRecord. */
  decode(bytes: Uint8Array): T
  /** True if the bytes begin like a record of a known version; the rest is not checked. */
  knows(bytes: Uint8Array): boolean
}

interface Rewritten<T, Told extends keyof T> {
  readonly bytes: Buffer
  readonly told: Pick<T, Told>
}

/**
 * Returns null if the bytes are not a record of the current version. Writes into `room` if it is large enough. Throws UndecodableRecord.
 */
export type Rewrite<T, Changed extends keyof T, Told extends keyof T> = (
  bytes: Uint8Array,
  changes: Pick<T, Changed>,
  room?: Buffer,
) => Rewritten<T, Told> | null

/**
 * `versions` are all schemas on the topic, including `current`. Records are written with `current`, and readers get the fields of
 * `current`.
 */
export function createRecordCodec<T>(current: AvroRecord, versions: readonly AvroRecord[]): RecordCodec<T> {
  const header = headerOf(current)
  const write = compileWrite(current)
  const readers = new Map<bigint, Read>(versions.map(version => [fingerprintOf(version), compileRead(version, current)]))

  return {
    knows: bytes => isMarked(bytes) && readers.has(fingerprintIn(bytes)),
    encode(value, room = Buffer.allocUnsafe(smallBytes)) {
      const sink = new AvroSink(room)
      sink.raw(header)
      write(sink, value)
      return sink.finish()
    },
    decode(bytes) {
      const read = readers.get(fingerprintOfRecord(bytes)) ?? refuseUnknown(current, bytes)
      const cursor = new AvroCursor(bytes, headerBytes)
      const record = read(cursor)
      refuseRest(cursor)
      return record as T
    },
  }
}

/** Reads one field. Throws UndecodableRecord. */
export type Peek<T, Name extends keyof T> = (bytes: Uint8Array) => T[Name]

/**
 * Creates a reader of one field, for consumers that skip most records because of the field's value. Earlier fields are skipped without
 * creating values, and later fields are not read. The result is the field's default if the record's version lacks the field.
 */
export function createPeek<T, Name extends keyof T & string>(
  current: AvroRecord,
  versions: readonly AvroRecord[],
  name: Name,
): Peek<T, Name> {
  const target = current.fields.find(field => field.name === name)!
  const readers = new Map(
    versions.map(version => {
      const place = version.fields.findIndex(field => field.name === name)
      const before = version.fields.slice(0, place).map(({ type }) => compileSkip(type))
      const read: Read = place < 0 ? () => target.default : compileRead(version.fields[place]!.type, target.type)
      return [fingerprintOf(version), { before: place < 0 ? [] : before, read }] as const
    }),
  )
  return bytes => {
    const { before, read } = readers.get(fingerprintOfRecord(bytes)) ?? refuseUnknown(current, bytes)
    const cursor = new AvroCursor(bytes, headerBytes)
    for (const skip of before) skip(cursor)
    return read(cursor) as T[Name]
  }
}

/**
 * Replaces some fields of a record in the current version. Unchanged fields are copied as bytes. Decoding the record, changing the fields
 * and encoding it again would give the same result, but more slowly.
 */
export function createRewrite<T, Changed extends keyof T & string, Told extends keyof T & string>(
  current: AvroRecord,
  changed: readonly Changed[],
  told: readonly Told[],
): Rewrite<T, Changed, Told> {
  const header = headerOf(current)
  const names = (of: readonly string[], name: string) => of.includes(name)
  const steps = current.fields.map(({ name, type }) => ({
    name,
    skip: compileSkip(type),
    write: names(changed, name) ? compileWrite(type) : undefined,
    read: names(told, name) ? compileRead(type, type) : undefined,
  }))

  return (bytes, changes, room = Buffer.allocUnsafe(smallBytes)) => {
    if (bytes.length < headerBytes || header.compare(bytes, 0, headerBytes) !== 0) return null
    const cursor = new AvroCursor(bytes, headerBytes)
    const sink = new AvroSink(room)
    const values: Record<string, unknown> = {}
    let from = 0
    for (const { name, skip, write, read } of steps) {
      if (write !== undefined) {
        sink.raw(bytes.subarray(from, cursor.position))
        skip(cursor)
        write(sink, changes[name as Changed])
        from = cursor.position
      } else if (read !== undefined) values[name] = read(cursor)
      else skip(cursor)
    }
    refuseRest(cursor)
    sink.raw(bytes.subarray(from))
    return { bytes: sink.finish(), told: values as Pick<T, Told> }
  }
}

function headerOf(schema: AvroRecord): Buffer {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt16BE(0xc301)
  header.writeBigUInt64LE(fingerprintOf(schema), 2)
  return header
}

function fingerprintOfRecord(bytes: Uint8Array): bigint {
  if (isMarked(bytes)) return fingerprintIn(bytes)
  throw new UndecodableRecord('not_a_record', `Not a single-object encoded record: ${bytes.length} bytes without the marker C3 01.`)
}

function refuseUnknown({ name }: AvroRecord, bytes: Uint8Array): never {
  const fingerprint = fingerprintText(fingerprintIn(bytes))
  const text = `No version of ${name} has the fingerprint ${fingerprint}: a newer release wrote the record, or it is a different type of record.`
  throw new UndecodableRecord('unknown_fingerprint', text)
}

function refuseRest({ remaining }: AvroCursor): void {
  if (remaining > 0) throw new UndecodableRecord('malformed', `The record is damaged: ${remaining} bytes follow its end.`)
}

const isMarked = (bytes: Uint8Array): boolean => bytes.length >= headerBytes && bytes[0] === 0xc3 && bytes[1] === 0x01

const fingerprintIn = (bytes: Uint8Array): bigint => new DataView(bytes.buffer, bytes.byteOffset, headerBytes).getBigUint64(2, true)
