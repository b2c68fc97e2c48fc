// What crosses the border of the reading thread: records of one partition, packed into one buffer, and what
// each of them says about its trace.
import type { DeadLetterReason } from '@svc-server/errors'
import type { TraceCandidate, TraceCandidates } from '@svc-server/schema/trace-candidates'

export interface ReaderData {
  readonly maxRecordBytes: number
  readonly maxRowBytes: number
  readonly maxWork: number
  readonly brandAliases: readonly string[]
}

export interface PackedValues {
  /** End of each value in `buffer`. */
  readonly ends: readonly number[]
  /** May be larger than the values. */
  readonly buffer: ArrayBuffer
}

export type RecordReading =
  | { readonly ok: true; readonly spans: number; readonly candidates: TraceCandidates; readonly cut: number }
  | { readonly ok: false; readonly reason: DeadLetterReason; readonly message: string; readonly projectId: string | null }

/** One after the other, without names: half of the time that objects take to cross. */
export type FlatReadings = readonly (string | number | bigint | boolean | null)[]

export interface ReadValues {
  readonly readings: FlatReadings
  /** Of the values, to be used again. */
  readonly buffer: ArrayBuffer
}

const stepBytes = 256 * 1024

/**
 * One copy, of compressed bytes: the caller keeps its own. Into `spare` where that has about the right size.
 */
export function packValues(values: readonly Uint8Array[], spare: ArrayBuffer | undefined): PackedValues {
  const needed = values.reduce((sum, { byteLength }) => sum + byteLength, 0)
  // A spare one that is far too large was for a backlog that is over, and is given back.
  const fits = spare !== undefined && spare.byteLength >= needed && spare.byteLength <= 4 * Math.max(needed, stepBytes)
  const buffer = fits ? spare : new ArrayBuffer(Math.ceil(needed / stepBytes) * stepBytes)
  const bytes = new Uint8Array(buffer)
  let end = 0
  const ends = values.map(value => {
    bytes.set(value, end)
    return (end += value.byteLength)
  })
  return { ends, buffer }
}

export const unpackValues = ({ ends, buffer }: PackedValues): Uint8Array[] =>
  ends.map((end, index) => {
    const start = index === 0 ? 0 : ends[index - 1]!
    return new Uint8Array(buffer, start, end - start)
  })

export function flattenReadings(readings: readonly RecordReading[]): FlatReadings {
  const flat: (string | number | bigint | boolean | null)[] = []
  for (const reading of readings) {
    flat.push(reading.ok)
    if (!reading.ok) {
      flat.push(reading.reason, reading.message, reading.projectId)
      continue
    }
    const { winners, tags, rootSeen } = reading.candidates
    flat.push(reading.spans, reading.cut, rootSeen, tags.length)
    for (const tag of tags) flat.push(tag)
    flat.push(winners.length)
    for (const { field, root, explicit, startNs, spanId, value } of winners) flat.push(field, root, explicit, startNs, spanId, value)
  }
  return flat
}

export function unflattenReadings(flat: FlatReadings): RecordReading[] {
  let at = 0
  const next = <T>() => flat[at++] as T
  const winner = (): TraceCandidate => ({
    field: next(),
    root: next(),
    explicit: next(),
    startNs: next(),
    spanId: next(),
    value: next(),
  })
  const readings: RecordReading[] = []
  while (at < flat.length) {
    if (!next<boolean>()) {
      readings.push({ ok: false, reason: next(), message: next(), projectId: next() })
      continue
    }
    const spans = next<number>()
    const cut = next<number>()
    const rootSeen = next<boolean>()
    const tags = Array.from({ length: next() }, () => next<string>())
    const winners = Array.from({ length: next() }, winner)
    readings.push({ ok: true, spans, cut, candidates: { winners, tags, rootSeen } })
  }
  return readings
}
