// Makes staged records in the format that the gateway writes.
import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { NewRecord } from '@svc-server/log'
import { type ContentEncoding, encodeSpanBatch, type SpanBatch } from '@svc-server/schema/span-batch'
import { encodeStagedRunItem } from '@svc-server/schema/staged-run-item'
import { attributes, encodeTraceRequest, type Span } from '@svc-server/testkit'

export interface StagedSpan {
  /** 16 hex digits. */
  readonly spanId: string
  readonly root?: boolean
  /** 16 hex digits. By default, a span that is not a root names a parent that is never staged. */
  readonly parentId?: string
  readonly startUs: number
  readonly name?: string
  /** The attributes of the span, as a client sends them. */
  readonly says?: Readonly<Record<string, string | boolean | readonly string[]>>
}

export interface StagedRecord {
  readonly projectId: string
  /** 32 hex digits. */
  readonly traceId: string
  readonly spans: readonly StagedSpan[]
  /** Compression of the record. Default: none. */
  readonly encoding?: ContentEncoding
}

export const startMs = Date.UTC(2026, 10, 21, 12)
export const startUs = startMs * 1000

const unknownParent = 'ffffffffffffffff'
export const hexOf = (number: number, digits: number): string => number.toString(16).padStart(digits, '0')
export const traceKeyOf = ({ projectId, traceId }: Pick<StagedRecord, 'projectId' | 'traceId'>): string => `${projectId}/${traceId}`

export interface StagedItem {
  readonly projectId: string
  readonly traceId: string
  readonly id: string
  readonly rootId: string | null
  readonly createdAtMs: number
}

export const expectedOutputOf = ({ id }: Pick<StagedItem, 'id'>): string => `"expected of ${id}"`

export function newItemRecord(item: StagedItem): NewRecord {
  const { projectId, id, rootId, createdAtMs } = item
  const value = encodeStagedRunItem({
    ...{ projectId, id, rootId, createdAtMs, writeMode: 'dual', cut: 0 },
    ...{ runId: `run of ${id}`, runName: 'nightly', datasetId: 'dataset', itemId: `item of ${id}`, itemVersionMs: startMs },
    ...{ runDescription: null, runMetadata: '{"a":{"b":1}}', expectedOutput: expectedOutputOf(item), itemMetadata: null },
  })
  return { key: Buffer.from(traceKeyOf(item)), value }
}

const wireSpan = (
  traceId: string,
  { spanId, root = false, parentId = unknownParent, startUs: start, name = 'step', says = {} }: StagedSpan,
): Span => ({
  traceId,
  spanId,
  ...(root ? {} : { parentSpanId: parentId }),
  name,
  startTimeUnixNano: BigInt(start) * 1000n,
  endTimeUnixNano: BigInt(start) * 1000n + 1_000_000n,
  attributes: attributes(says),
})

export const payloadOf = ({ traceId, spans }: StagedRecord): Uint8Array =>
  encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ scope: { name: 'test' }, spans: spans.map(span => wireSpan(traceId, span)) }] }] })

const compress: Readonly<Record<ContentEncoding, (bytes: Uint8Array) => Uint8Array>> = {
  identity: bytes => bytes,
  gzip: bytes => gzipSync(bytes),
  zstd: bytes => zstdCompressSync(bytes),
}

export const inflated = ({ contentEncoding, payload }: SpanBatch): Uint8Array =>
  contentEncoding === 'identity' ? payload : contentEncoding === 'gzip' ? gunzipSync(payload) : zstdDecompressSync(payload)

export function newRecord(record: StagedRecord): NewRecord {
  const { encoding = 'identity' } = record
  const payload = payloadOf(record)
  const value = encodeSpanBatch({
    projectId: record.projectId,
    apiKey: 'pk-test',
    sdkName: 'python',
    sdkVersion: '3.1.0',
    ingestionVersion: 3,
    receivedAtMs: startMs,
    ingestId: record.spans[0]!.spanId,
    contentEncoding: encoding,
    decodedBytes: payload.byteLength,
    spanCount: record.spans.length,
    payload: compress[encoding](payload),
    traceAttributes: null,
  })
  return { key: Buffer.from(traceKeyOf(record)), value }
}
