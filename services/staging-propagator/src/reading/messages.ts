// The messages between the event loop and the reading thread. A request contains records of one partition in one buffer. The answer
// contains the trace attributes of each record.

import type { DeadLetterReason } from '@svc-server/errors'
import { noCandidates } from '@svc-server/observations/trace/join'
import type { TraceCandidate, TraceCandidates } from '@svc-server/schema/trace-candidates'
import type { TraceItem } from '@svc-server/schema/trace-window'

export interface ReaderData {
  readonly maxRecordBytes: number
  readonly maxRowBytes: number
  readonly maxWork: number
  readonly brandAliases: readonly string[]
}

export type Question = 'trace' | 'links'

/** The fields of a staged run item that the reading thread returns. `addRecord` adds the offset when it puts the item into a window. */
type ItemReading = Omit<TraceItem, 'offset'>

export type RecordReading =
  | {
      readonly ok: true
      readonly spans: number
      readonly candidates: TraceCandidates
      readonly cut: number
      /** The data that the window needs if the record is a run item. Null if the propagator cannot determine the item's spans. */
      readonly item?: ItemReading | null
    }
  | { readonly ok: false; readonly reason: DeadLetterReason; readonly message: string; readonly projectId: string | null }

export interface SpanLink {
  /** Position of the span in the record. */
  readonly index: number
  readonly id: string
  /** Id of the parent span. Empty if the span has no parent. */
  readonly parentId: string
  /** 0 for a span without a parent, 1 for a span marked as root, 2 for any other span. */
  readonly rank: number
  readonly startUs: number
}

export function flattenLinks(links: readonly (readonly SpanLink[])[]): FlatReadings {
  const flat: (string | number)[] = []
  for (const ofRecord of links) {
    flat.push(ofRecord.length)
    for (const { index, id, parentId, rank, startUs } of ofRecord) flat.push(index, id, parentId, rank, startUs)
  }
  return flat
}

export function unflattenLinks(flat: FlatReadings): SpanLink[][] {
  let at = 0
  const next = <T>() => flat[at++] as T
  const link = (): SpanLink => ({ index: next(), id: next(), parentId: next(), rank: next(), startUs: next() })
  const links: SpanLink[][] = []
  while (at < flat.length) links.push(Array.from({ length: next<number>() }, link))
  return links
}

/**
 * The results of reading several records, in one flat list. Another thread receives a flat list in half the time that it needs for objects.
 */
export type FlatReadings = readonly (string | number | bigint | boolean | null)[]

/**
 * In the flat list, the values of each record begin with a mark. If the values were read from a run item, the mark is this text. For every
 * other record, the mark is true if the record is readable, and otherwise false.
 */
const itemMark = 'item'
export function flattenReadings(readings: readonly RecordReading[]): FlatReadings {
  const flat: (string | number | bigint | boolean | null)[] = []
  for (const reading of readings) {
    if (!reading.ok) {
      flat.push(false, reading.reason, reading.message, reading.projectId)
      continue
    }
    if (reading.item !== undefined) {
      flat.push(itemMark, reading.cut, reading.item?.id ?? null, reading.item?.rootId ?? null, reading.item?.createdAtMs ?? 0)
      continue
    }
    flat.push(true)
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
    const kind = next<boolean | typeof itemMark>()
    if (kind === false) {
      readings.push({ ok: false, reason: next(), message: next(), projectId: next() })
      continue
    }
    if (kind === itemMark) {
      const cut = next<number>()
      const item = { id: next<string | null>(), rootId: next<string | null>(), createdAtMs: next<number>() }
      readings.push({ ok: true, spans: 0, candidates: noCandidates, cut, item: item.id === null ? null : { ...item, id: item.id } })
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
