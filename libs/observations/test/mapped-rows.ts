import { type NativeEngine, nativeEngine } from '@svc-server/column-store/test-engine'
import { transcodeJsonRequest } from '@svc-server/otlp/json/transcode'
import { eventsColumns } from '@svc-server/schema/events/columns'
import { encodeSpanBatch, type SpanBatch } from '@svc-server/schema/span-batch'
import {
  attributes,
  encodeTraceRequest,
  type OtlpFixture,
  plainBody,
  type ScopeSpans,
  type Span,
  type TraceRequest,
} from '@svc-server/testkit'
import type { ChunkRecord } from '../src/block/chunk.ts'
import { createChunkEncoder, type EncodedChunk } from '../src/block/chunk-encoder.ts'
import type { RowPlace, RowSelection } from '../src/block/row-place.ts'

export const receivedAtMs = Date.parse('2026-11-21T12:00:00.000Z')
const appendedAtMs = receivedAtMs + 250
const startNano = '1795262400123456789'
export const endNano = '1795262401000001999'

export const aSpan = (fields: Partial<Span> = {}): Span => ({
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  name: 'a span',
  startTimeUnixNano: startNano,
  endTimeUnixNano: endNano,
  ...fields,
})

export const protobufOf = (fixture: OtlpFixture): Uint8Array =>
  fixture.contentType === 'application/json' ? transcodeJsonRequest(plainBody(fixture)) : plainBody(fixture)

type Values = Parameters<typeof attributes>[0]

export interface RequestFacts {
  readonly span?: Partial<Span>
  readonly resource?: Values
  readonly scope?: NonNullable<ScopeSpans['scope']>
}

export const requestOf = (values: Values, { span = {}, resource = {}, scope = {} }: RequestFacts = {}): TraceRequest => ({
  resourceSpans: [
    {
      resource: { attributes: attributes(resource) },
      scopeSpans: [{ scope, spans: [aSpan({ attributes: attributes(values), ...span })] }],
    },
  ],
})

export const batchOf = (payload: Uint8Array, fields: Partial<SpanBatch> = {}): SpanBatch => ({
  projectId: 'project-1',
  apiKey: 'pk-1',
  sdkName: '',
  sdkVersion: '',
  ingestionVersion: 4,
  receivedAtMs,
  ingestId: 'ingest-1',
  contentEncoding: 'identity',
  decodedBytes: payload.length,
  spanCount: 1,
  payload,
  traceAttributes: null,
  ...fields,
})

export const recordOf = (batch: SpanBatch, offset = 7): ChunkRecord => ({
  topic: 'spans.direct',
  partition: 3,
  offset,
  timestampMs: appendedAtMs,
  value: encodeSpanBatch(batch),
})

/** Selects the given rows by offset and index. Tests take the rows from the result of `places`. */
export const selectionOf = (rows: readonly Pick<RowPlace, 'offset' | 'index'>[]): RowSelection =>
  new Map([...Map.groupBy(rows, ({ offset }) => offset)].map(([offset, own]) => [offset, new Set(own.map(({ index }) => index))]))

export interface Row extends Record<string, unknown> {
  /** Maps each name to `[value, type]`. If a name has several entries, the last entry counts. */
  readonly metadata: Readonly<Record<string, readonly [string, number]>>
}

export const readable = (row: Record<string, unknown>): Row => {
  const names = row['metadata_names'] as string[]
  const values = row['metadata_values'] as string[]
  const types = row['metadata_types'] as number[]
  if (names.length !== values.length || names.length !== types.length) throw new Error('metadata lists differ in length')
  return { ...row, metadata: Object.fromEntries(names.map((name, i) => [name, [values[i]!, types[i]!]])) }
}

export interface Mapping {
  rows(chunk: EncodedChunk): Row[]
  row(request: TraceRequest, fields?: Partial<SpanBatch>): Row
  close(): Promise<void>
}

export async function openMapping(): Promise<Mapping> {
  const engine: NativeEngine = await nativeEngine()
  const encoder = createChunkEncoder()
  const rows = (chunk: EncodedChunk) => engine.roundTrip(eventsColumns, chunk.body).map(readable)
  return {
    rows,
    row(request, fields = {}) {
      const chunk = encoder.encode([recordOf(batchOf(encodeTraceRequest(request), fields))])
      if (chunk.rejected.length > 0) throw new Error(chunk.rejected[0]!.message)
      return rows(chunk)[0]!
    },
    close: () => engine.close(),
  }
}
