// Computes the rows that a record must become, independently of the code that creates rows.
import { isAppError } from '@svc-server/errors'
import { topicNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { inflateBodySync } from '@svc-server/otlp/inflate'
import { decodeEntity, isEntity } from '@svc-server/schema/entity'
import { decodeRunItem } from '@svc-server/schema/run-item'
import { decodeScoreEvent } from '@svc-server/schema/score-event'
import { decodeSpanBatch, type SpanBatch } from '@svc-server/schema/span-batch'
import { isStagedRunItem } from '@svc-server/schema/staged-run-item'
import { UndecodableRecord } from '@svc-server/schema/undecodable-record'
import { rowsOfEntity } from '../entity-rows.ts'
import type { RowVersion } from '../presence/key.ts'
import { type ItemKind, kindOnTopic, mayHaveEntities } from './item-kind.ts'
import { forEachWireSpan } from './wire-spans.ts'

/** Spans are packed into arrays, so that no span needs its own object. The reading thread transfers these arrays without copying them. */
export interface RecordRows {
  readonly kind: ItemKind
  /** Number of spans according to the envelope. An unreadable record counts as one span, because its loss must be noticed. */
  readonly claimed: number
  /** Spans in the payload. */
  readonly found: number
  readonly projectId: string
  /** Null if the record has no mode. */
  readonly writeMode: WriteMode | null
  /** In microseconds since the epoch. */
  readonly eventTsUs: number
  /** Trace id and span id of each span, in 24 bytes. The bytes are zeros if the span's ids are invalid. */
  readonly ids: Uint8Array<ArrayBuffer>
  /** Start of each span in microseconds; NaN if the span's ids are invalid. */
  readonly startsUs: Float64Array<ArrayBuffer>
  /** The rows of a record that is a single item; null for a record of spans. */
  readonly rows: readonly RowVersion[] | null
  /** Trace id of the single item, to look up deletions. Set only if the keys of the item's rows do not contain the trace id. */
  readonly traceId: string | null
  /** If the record is a single item: the item's name in the audit's report (project, kind and id). Null for other or unreadable records. */
  readonly name: string | null
}

const idBytes = 24
/** Size in bytes of the smallest possible span, which has only ids and a time. */
const smallestSpan = 39

type OneRow = Omit<RowVersion, 'eventTsUs'> & { readonly writeMode?: WriteMode | null; readonly ofTrace: string | null }

/** Topics on which each record becomes one row. */
const singly: Readonly<Record<string, (value: Uint8Array) => OneRow>> = {
  [topicNames.scores](value) {
    const { projectId, id, name, timestampUs, writeMode, traceId: ofTrace } = decodeScoreEvent(value)
    return { projectId, ofTrace, traceId: '', spanId: id, name, startTimeUs: timestampUs, writeMode: writeMode ?? null }
  },
  [topicNames.runItems](value) {
    const { projectId, datasetRunId, id, datasetId, createdAtMs, writeMode, traceId: ofTrace } = decodeRunItem(value)
    return {
      projectId,
      ofTrace,
      traceId: datasetRunId,
      spanId: id,
      name: datasetId,
      startTimeUs: createdAtMs * 1000,
      writeMode: writeMode ?? null,
    }
  },
}

/** `timestampMs` is the append time. An unreadable record counts as one item without ids. */
export function rowsOfRecord(topic: string, value: Uint8Array, timestampMs: number, maxBytes: number): RecordRows {
  const unread = { ...noRows(kindOnTopic(topic)), claimed: 1, eventTsUs: timestampMs * 1000 }
  try {
    if (mayHaveEntities(topic) && isEntity(value)) return { ...unread, ...ofEntity(topic, value, timestampMs) }
    if (topic === topicNames.staging && isStagedRunItem(value)) return { ...unread, claimed: 0 }
    const read = singly[topic]
    if (read !== undefined) return { ...unread, ...ofOne(read(value), topic, unread.eventTsUs) }
    return topic === topicNames.entities ? unread : ofSpans(decodeSpanBatch(value), timestampMs, maxBytes)
  } catch (error) {
    if (error instanceof UndecodableRecord) return unread
    throw error
  }
}

function ofEntity(topic: string, value: Uint8Array, timestampMs: number): Partial<RecordRows> {
  const entity = decodeEntity(value)
  const { projectId, entityType: kind, entityId, writeMode = null } = entity
  const rows = rowsOfEntity(entity, topic, timestampMs)
  return { kind, found: 1, projectId, writeMode, rows, name: `${projectId}/${kind}/${entityId}` }
}

function ofOne({ writeMode = null, ofTrace, ...key }: OneRow, topic: string, eventTsUs: number): Partial<RecordRows> {
  const { projectId, spanId } = key
  return {
    found: 1,
    projectId,
    traceId: ofTrace ?? '',
    writeMode,
    rows: [{ ...key, eventTsUs }],
    name: `${projectId}/${kindOnTopic(topic)}/${spanId}`,
  }
}

function ofSpans(batch: SpanBatch, timestampMs: number, maxBytes: number): RecordRows {
  const { projectId, spanCount, receivedAtMs, staged, writeMode = null } = batch
  const named = {
    ...noRows('span'),
    claimed: spanCount,
    projectId,
    writeMode,
    eventTsUs: staged ? staged.timestampMs * 1000 + staged.generation : timestampMs * 1000,
  }
  const payload = inflated(batch, maxBytes)
  if (payload === null) return named

  let found = 0
  // The envelope's span count can be wrong, so the length of the payload also limits the size of the arrays.
  const likely = 1 + Math.max(0, Math.min(spanCount, payload.length / smallestSpan))
  let startsUs = new Float64Array(likely)
  let ids = new Uint8Array(startsUs.length * idBytes)
  forEachWireSpan(payload, ({ traceIdAt, spanIdAt, startUs, endUs }) => {
    // The payload has more spans than the envelope states, so the arrays must grow.
    if (found === startsUs.length) {
      ids = doubled(ids, new Uint8Array(ids.length * 2))
      startsUs = doubled(startsUs, new Float64Array(startsUs.length * 2))
    }
    const isNamed = traceIdAt >= 0 && spanIdAt >= 0
    if (isNamed) {
      ids.set(payload.subarray(traceIdAt, traceIdAt + 16), found * idBytes)
      ids.set(payload.subarray(spanIdAt, spanIdAt + 8), found * idBytes + 16)
    }
    // A missing start is replaced by the end time. If the end time is missing, too, the time of receipt is used. A time of 0 counts as
    // missing.
    startsUs[found] = isNamed ? startUs || endUs || receivedAtMs * 1000 : Number.NaN
    found += 1
  })
  return { ...named, found, ids, startsUs }
}

/** Returns null for an item whose ids are unknown, because such an item needs no row. */
export function rowsAt({ projectId, eventTsUs, ids, startsUs, rows }: RecordRows, index: number): readonly RowVersion[] | null {
  if (rows !== null) return rows
  const startTimeUs = startsUs[index]!
  if (Number.isNaN(startTimeUs)) return null
  const hex = (from: number, bytes: number) => Buffer.from(ids.buffer, ids.byteOffset + index * idBytes + from, bytes).toString('hex')
  return [{ projectId, traceId: hex(0, 16), spanId: hex(16, 8), startTimeUs, eventTsUs }]
}

export const noRows = (kind: ItemKind): RecordRows => ({
  kind,
  claimed: 0,
  found: 0,
  projectId: '',
  writeMode: null,
  eventTsUs: 0,
  ids: new Uint8Array(0),
  startsUs: new Float64Array(0),
  rows: null,
  traceId: null,
  name: null,
})

function doubled<T extends Uint8Array | Float64Array>(from: T, to: T): T {
  to.set(from)
  return to
}

function inflated({ payload, contentEncoding, decodedBytes }: SpanBatch, maxBytes: number): Uint8Array | null {
  if (decodedBytes > maxBytes) return null
  try {
    return inflateBodySync(payload, contentEncoding, maxBytes, decodedBytes)
  } catch (error) {
    if (isAppError(error)) return null
    throw error
  }
}
