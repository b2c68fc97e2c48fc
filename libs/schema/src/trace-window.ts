// The record of trace.attributes: the state of one trace at the end of one window (architecture §6).
import { traceWindowHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'
import { traceWindowEndSchema, traceWindowSchema } from './avro/records.ts'
import { UndecodableRecord } from './avro/undecodable-record.ts'
import type { TraceCandidate, TraceCandidates } from './trace-candidates.ts'

/** The fields of a run item that determine which spans belong to the item, and which staged record has the contents of the item. */
export interface TraceItem {
  readonly id: string
  /** Null for the whole trace. */
  readonly rootId: string | null
  readonly createdAtMs: number
  /** Offset of the staged record that has the item's contents. A publication reads the contents from this record. */
  readonly offset: number
}

export interface TraceWindow {
  /** An inclusive offset range of the staging partition. */
  readonly firstOffset: number
  readonly lastOffset: number
  /** Append time at which the window ends. A window contains the records that were appended within a range of time. */
  readonly endMs: number
  /** Candidates of this window and all earlier windows, so that the newest window has all candidates. */
  readonly candidates: TraceCandidates
  /** Offsets of the trace's staged records in this window, ascending. */
  readonly offsets: readonly number[]
  /** Number of spans at these offsets. */
  readonly spans: number
  /** Number of spans in this window and all earlier windows. */
  readonly totalSpans: number
  /** 0 after the first publication of the window's spans. Each repair of the window adds 1, even if the repair publishes no spans. */
  readonly generation: number
  /** Hash of the trace attributes with which the spans were last published. */
  readonly fill: string
  /** The run items from this window and from all earlier windows, ascending by id. */
  readonly items: readonly TraceItem[]
  /**
   * Identifies the last assignment of this window's spans to run items. The value is the first offset of the trace's newest window
   * at the time of this assignment. Null before the first assignment.
   */
  readonly assignedAt: number | null
}

/**
 * The value of `fill` while the run items of the spans have not been looked up. No hash of trace attributes has this value. If the newest
 * window of a trace has this value, the trace needs a repair.
 */
export const unassigned = '0'.repeat(16)

/**
 * A window as Avro stores it. The fields of `candidates` are stored directly in the window, without the object around them. Ids and times
 * are bytes. Each offset is stored as its distance from the offset before it.
 */
interface Written extends Omit<TraceWindow, 'candidates'>, Omit<TraceCandidates, 'winners'> {
  readonly winners: readonly (Omit<TraceCandidate, 'startNs' | 'spanId'> & { readonly startNs: Buffer; readonly spanId: Buffer })[]
}

const idBytes = 8
const codec = createRecordCodec<Written>(traceWindowSchema, traceWindowHistory)

/** Throws TypeError if offsets do not ascend, or a span id does not have 16 hex digits. */
export function encodeTraceWindow(window: TraceWindow): Buffer {
  const { winners, tags, rootSeen } = window.candidates
  return codec.encode({ ...window, offsets: distances(window), rootSeen, tags, winners: winners.map(writtenOf) })
}

const writtenOf = ({ field, root, explicit, startNs, spanId, value }: TraceCandidate): Written['winners'][number] => ({
  field,
  root,
  explicit,
  startNs: timeBytes(startNs),
  spanId: spanIdBytes(spanId),
  value,
})

/** Throws UndecodableRecord. */
export function decodeTraceWindow(bytes: Uint8Array): TraceWindow {
  const { winners, tags, rootSeen, offsets, ...window } = codec.decode(bytes)
  return {
    ...window,
    offsets: positions(window.firstOffset, offsets),
    candidates: { winners: winners.map(candidateOf), tags, rootSeen },
  }
}

/**
 * The fields that `decodeTraceWindowEnd` reads. The function returns only `endMs` and `fill`, but must also check the ids in `winners`.
 */
interface WrittenEnd extends Pick<Written, 'endMs' | 'fill'> {
  readonly winners: readonly Pick<Written['winners'][number], 'startNs' | 'spanId'>[]
}
const endCodec = createRecordCodec<WrittenEnd>(traceWindowEndSchema, traceWindowHistory)

/**
 * Returns only `endMs` and `fill` of a window, for readers that store the bytes of the record unchanged and need no other field. Throws
 * like `decodeTraceWindow`.
 */
export function decodeTraceWindowEnd(bytes: Uint8Array): Pick<TraceWindow, 'endMs' | 'fill'> {
  const { endMs, fill, winners } = endCodec.decode(bytes)
  for (const winner of winners) checkIds(winner)
  return { endMs, fill }
}

function distances({ firstOffset, lastOffset, offsets }: Omit<TraceWindow, 'candidates'>): number[] {
  let before = firstOffset
  return offsets.map((offset, index) => {
    const distance = offset - before
    if (distance < (index === 0 ? 0 : 1) || offset > lastOffset) {
      throw new TypeError(`Offsets of a window must ascend from ${firstOffset} to ${lastOffset}: ${offset} does not`)
    }
    before = offset
    return distance
  })
}

function positions(firstOffset: number, written: readonly number[]): number[] {
  let at = firstOffset
  return written.map(distance => {
    at += distance
    return at
  })
}

function timeBytes(ns: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(idBytes)
  bytes.writeBigUInt64BE(ns)
  return bytes
}

function spanIdBytes(spanId: string): Buffer {
  const bytes = Buffer.from(spanId, 'hex')
  if (bytes.length !== idBytes || spanId.length !== 2 * idBytes) throw new TypeError(`Not a span id: ${spanId}`)
  return bytes
}

function candidateOf(winner: Written['winners'][number]): TraceCandidate {
  checkIds(winner)
  const { field, root, explicit, startNs, spanId, value } = winner
  return { field, root, explicit, startNs: startNs.readBigUInt64BE(), spanId: spanId.toString('hex'), value }
}

function checkIds({ startNs, spanId }: Pick<Written['winners'][number], 'startNs' | 'spanId'>): void {
  if (startNs.length === idBytes && spanId.length === idBytes) return
  throw new UndecodableRecord('malformed', `The record is damaged: a span id or a time does not have ${idBytes} bytes.`)
}

export interface TraceWindowKey {
  /** project/trace. */
  readonly traceKey: Buffer
  readonly firstOffset: number
}

const slash = 0x2f

export function traceWindowKey(projectAndTraceKey: Uint8Array, firstOffset: number): Buffer {
  const suffix = `/${firstOffset}`
  const key = Buffer.allocUnsafe(projectAndTraceKey.length + suffix.length)
  key.set(projectAndTraceKey)
  key.write(suffix, projectAndTraceKey.length, 'latin1')
  return key
}

/**
 * Parses a key of the form project/trace/offset, in which only the trace id can contain slashes. `traceKey` is a view of `key`. Throws
 * UndecodableRecord.
 */
export function parseTraceWindowKey(key: Uint8Array): TraceWindowKey {
  const bytes = Buffer.from(key.buffer, key.byteOffset, key.byteLength)
  const end = bytes.lastIndexOf(slash)
  const digits = bytes.toString('latin1', end + 1)
  const firstOffset = Number(digits)
  if (end <= bytes.indexOf(slash) || String(firstOffset) !== digits || !Number.isSafeInteger(firstOffset) || firstOffset < 0) {
    throw new UndecodableRecord('malformed', 'The key is not project/trace/offset.')
  }
  return { traceKey: bytes.subarray(0, end), firstOffset }
}
