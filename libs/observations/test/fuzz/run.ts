// Checks properties that the rows of all spans must have. `npm test` runs the checks briefly, and the nightly run runs them for ten
// minutes.
import { readNativeBlock } from '@svc-server/column-store/native'
import { transcodeJsonRequest } from '@svc-server/otlp/json/transcode'
import { encodeTraceRequest, type KeyValue, type TraceRequest, traceRequestJson } from '@svc-server/testkit'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createChunkEncoder, type EncodedChunk } from '../../src/block/chunk-encoder.ts'
import { createObservationEncoder } from '../../src/block/observation-encoder.ts'
import { aSpan, batchOf, recordOf } from '../mapped-rows.ts'
import { type FuzzedSpan, fuzzedSpan, markedAttributes } from './spans.ts'

const requestOf = ({ attributes, resource, events, scope }: FuzzedSpan, extra: readonly KeyValue[] = []): TraceRequest => ({
  resourceSpans: [
    { resource: { attributes: resource }, scopeSpans: [{ scope, spans: [aSpan({ attributes: [...attributes, ...extra], events })] }] },
  ],
})

const encoder = createChunkEncoder()
const oldEncoder = createObservationEncoder()

const encode = (request: Uint8Array, { sdkVersion }: FuzzedSpan): EncodedChunk =>
  encoder.encode([recordOf(batchOf(request, { sdkName: 'python', sdkVersion }))])

/** The mapping must not throw, and a second encoder must create the same bytes. The row must also keep the attributes that no rule uses. */
function isMapped(span: FuzzedSpan): void {
  const markers = markedAttributes(span.attributes)
  const request = encodeTraceRequest(requestOf(span, markers))
  const chunk = encode(request, span)
  expect(chunk.rejected).toEqual([])
  const again = createChunkEncoder().encode([recordOf(batchOf(request, { sdkName: 'python', sdkVersion: span.sdkVersion }))])
  const [row] = readNativeBlock(chunk.body)
  if (again.hash !== chunk.hash) expect(readNativeBlock(again.body)).toEqual([row])
  expect(again.hash).toBe(chunk.hash)
  const values = (row!['metadata_values'] as readonly string[]).join('\n')
  // On a span of the product's own SDK, the metadata group `attributes` contains only attributes in `leftOut` (`SpanView`). On any other
  // span, user metadata with the name `attributes` replaces the stored span attributes.
  const names = row!['metadata_names'] as readonly string[]
  if (span.scope.name === 'svc-sdk' || !names.some(name => name.startsWith('attributes.own.'))) return
  for (const { value } of markers) expect(values).toContain(value!.stringValue)
}

/** Checks the block of the old table in the same way as `isMapped`, but does not check that the row keeps all attributes. */
function isMappedToOld(span: FuzzedSpan): void {
  const record = recordOf(batchOf(encodeTraceRequest(requestOf(span)), { sdkName: 'python', sdkVersion: span.sdkVersion }))
  const chunk = oldEncoder.encode([record])
  expect(chunk.rejected).toEqual([])
  expect(chunk.hash).toBe(createObservationEncoder().encode([record]).hash)
}

/**
 * The row of a JSON request must equal the row of the protobuf request. JSON cannot represent NaN, infinities, and negative zero, so the
 * check skips requests with these numbers.
 */
function isSameAsJson(span: FuzzedSpan): void {
  const request = requestOf(span)
  if (JSON.stringify(request, (_, value) => (typeof value === 'bigint' ? String(value) : value)) !== writable(request)) return
  const rows = [encodeTraceRequest(request), transcodeJsonRequest(traceRequestJson(request))].map(body => {
    const { event_bytes: _, ...row } = readNativeBlock(encode(body, span).body)[0]!
    return row
  })
  expect(rows[1]).toEqual(rows[0])
}

/** JSON cannot represent some numbers. The function turns these numbers into texts. */
const writable = (request: TraceRequest) =>
  JSON.stringify(request, (_, value) => {
    if (typeof value === 'bigint') return String(value)
    return typeof value === 'number' && !Number.isFinite(value) ? 'no number' : Object.is(value, -0) ? 'negative zero' : value
  })

export function fuzzMapping(milliseconds: number, seed?: number): void {
  const bounds = { numRuns: 1_000_000, interruptAfterTimeLimit: milliseconds / 3, ...(seed === undefined ? {} : { seed }) }
  fc.assert(fc.property(fuzzedSpan, isMapped), bounds)
  fc.assert(fc.property(fuzzedSpan, isMappedToOld), bounds)
  fc.assert(fc.property(fuzzedSpan, isSameAsJson), bounds)
}
