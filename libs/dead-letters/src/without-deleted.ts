// Removes the data of deleted traces from a dead letter. The content of a dead letter can be malformed. If the content is a record in svc's
// format, this module looks for trace ids in the record's fields. If the content is an OTLP request, this module looks for the trace id of
// every span. In all other content, this module looks for trace ids at every position at which a trace id can be.

import type { Denials } from '@svc-server/deletions/denials'
import { parseStoredJson } from '@svc-server/json'
import { inflateBodySync } from '@svc-server/otlp/inflate'
import { SpanCursor } from '@svc-server/otlp/span-cursor'
import { WireReader } from '@svc-server/otlp/wire'
import { type DeadLetter, deadLetterForm, encodeDeadLetter } from '@svc-server/schema/dead-letter'
import { decodeEntity } from '@svc-server/schema/entity'
import { decodeIngestionEvent } from '@svc-server/schema/ingestion-event'
import { decodeRunItem } from '@svc-server/schema/run-item'
import { decodeScoreEvent } from '@svc-server/schema/score-event'
import { decodeSpanBatch, encodeSpanBatch, type SpanBatch } from '@svc-server/schema/span-batch'
import type { FoundDeadLetter } from './on-topic.ts'
import type { Judge } from './purge.ts'

/** Maximum bytes of a record's payload after decompression. */
const maxPayloadBytes = 256 << 20
const traceIdField = 1
const traceIdBytes = 16

/**
 * Returns a function that decides what a purge does with a dead letter. Dead letters from before `startMs` are dropped, because they are
 * older than the topic's retention.
 */
export const withoutDeleted =
  (denials: Denials, startMs: number): Judge =>
  ({ deadLetter, value }: FoundDeadLetter) => {
    if (deadLetter === null) return value
    if (deadLetter.atMs < startMs) return null
    const left = leftOf(deadLetter, denials)
    return left === deadLetter.raw ? value : left === null ? null : encodeDeadLetter({ ...deadLetter, raw: left })
  }

/** Returns the bytes to keep: null if there are none, and `raw` itself if nothing is deleted. */
export function leftOf({ projectId, raw }: Pick<DeadLetter, 'projectId' | 'raw'>, denials: Denials): Uint8Array | null {
  if (projectId === null || !denials.concerns(projectId)) return raw
  if (denials.denies(projectId, null)) return null
  const isGone = (traceId: string) => denials.denies(projectId, traceId)
  const batch = decoded(decodeSpanBatch, raw)
  if (batch !== null) return leftOfBatch(batch, raw, isGone)
  const named = tracesOfRecord(raw) ?? tracesOfSpan(raw) ?? tracesAnywhere(raw)
  return named.some(isGone) ? null : raw
}

function decoded<T>(decode: (bytes: Uint8Array) => T, bytes: Uint8Array): T | null {
  try {
    return decode(bytes)
  } catch {
    // A different kind of record.
    return null
  }
}

/**
 * Returns the trace ids that a score, run item, event or entity states. Returns an empty list if such a record states no trace. Returns
 * null for all other kinds of records.
 */
function tracesOfRecord(raw: Uint8Array): readonly string[] | null {
  const item = decoded(decodeScoreEvent, raw) ?? decoded(decodeRunItem, raw)
  if (item !== null) return item.traceId === null ? [] : [item.traceId]
  const event = decoded(decodeIngestionEvent, raw)
  if (event !== null) return event.entityType === 'trace' ? [event.entityId] : said(textOf(event.body), 'traceId')
  const entity = decoded(decodeEntity, raw)
  if (entity === null) return null
  if (entity.entityType === 'trace') return [entity.entityId]
  return entity.fields.flatMap(({ name, value }) => (name === 'traceId' && value !== null ? [value, ...said(`{"id":${value}}`, 'id')] : []))
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

/** Returns the text under this key of the JSON object, as a list with one element. The list is empty if there is no such text. */
function said(json: string, key: string): readonly string[] {
  try {
    const value = (parseStoredJson(json) as Record<string, unknown>)[key]
    return typeof value === 'string' ? [value] : []
  } catch {
    return []
  }
}

const hexOf = (bytes: Uint8Array, start: number): string => Buffer.from(bytes.subarray(start, start + traceIdBytes)).toString('hex')

/** Returns every trace id in the bytes of a span, or null if the bytes are not a span. */
function tracesOfSpan(bytes: Uint8Array, start = 0, end = bytes.length): readonly string[] | null {
  const reader = new WireReader().open(bytes, start, end)
  const found: string[] = []
  for (let step = reader.advance(); step !== 0; step = reader.advance()) {
    if (step < 0) return null
    if (reader.field === traceIdField && reader.stop - reader.start === traceIdBytes) found.push(hexOf(bytes, reader.start))
  }
  return found.length === 0 ? null : found
}

/** Finds ids in binary form (as in protobuf) and in text form. */
function tracesAnywhere(raw: Uint8Array): readonly string[] {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const found = new Set<string>(bytes.toString('latin1').match(/[0-9a-f]{32}/g) ?? [])
  for (let at = bytes.indexOf('\n\x10', 0, 'latin1'); at >= 0; at = bytes.indexOf('\n\x10', at + 1, 'latin1')) {
    if (at + 2 + traceIdBytes <= bytes.length) found.add(hexOf(bytes, at + 2))
  }
  return [...found]
}

/** Overwrites deleted spans in place, so that the other spans keep their index. */
function leftOfBatch(batch: SpanBatch, raw: Uint8Array, isGone: (traceId: string) => boolean): Uint8Array | null {
  const open = (): Uint8Array => inflateBodySync(batch.payload, batch.contentEncoding, maxPayloadBytes, batch.decodedBytes)
  const payload = decoded(open, raw)
  if (payload === null) return tracesAnywhere(batch.payload).some(isGone) ? null : raw
  const left = Uint8Array.from(payload)
  let spans = 0
  let gone = 0
  try {
    for (const cursor = new SpanCursor(payload); cursor.next(); spans++) {
      const { spanStart, spanEnd } = cursor
      const named = tracesOfSpan(payload, spanStart, spanEnd) ?? tracesAnywhere(payload.subarray(spanStart, spanEnd))
      if (!named.some(isGone)) continue
      left.fill(0, spanStart, spanEnd)
      gone += 1
    }
  } catch {
    // The payload is malformed here, so the ends of the remaining spans are unknown.
    return tracesAnywhere(payload).some(isGone) ? null : raw
  }
  if (gone === 0) return raw
  if (gone === spans) return null
  const rest = encodeSpanBatch({ ...batch, contentEncoding: 'identity', payload: left })
  return rest.byteLength > deadLetterForm.maxRawBytes ? null : rest
}
