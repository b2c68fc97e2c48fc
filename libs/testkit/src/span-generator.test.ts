import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { TraceRequest } from './otlp-types.ts'
import { decodeTraceRequest } from './protobuf.ts'
import { createSpanGenerator } from './span-generator.ts'

const options = { seed: 7, startTimeMs: Date.UTC(2026, 10, 21) }
const spansOf = (request: TraceRequest) => (request.resourceSpans ?? []).flatMap(r => (r.scopeSpans ?? []).flatMap(s => s.spans ?? []))
const take = (count: number, more = {}) => {
  const generator = createSpanGenerator({ ...options, ...more })
  return Array.from({ length: count }, () => generator.next())
}

test('spans have the size and compress like production spans', () => {
  const requests = take(10)
  const bytes = requests.reduce((sum, r) => sum + r.protobuf.length, 0)
  const compressed = requests.reduce((sum, r) => sum + gzipSync(r.protobuf).length, 0)
  const spans = requests.reduce((sum, r) => sum + r.spans.length, 0)

  expect(spans).toBe(1000)
  expect(bytes / spans).toBeGreaterThan(3800)
  expect(bytes / spans).toBeLessThan(4300)
  expect(bytes / compressed).toBeGreaterThan(3.2)
  expect(bytes / compressed).toBeLessThan(3.8)
})

test('the same seed yields the same bytes, and a different seed yields different bytes', () => {
  const [first, again, other] = [take(2), take(2), take(2, { seed: 8 })]
  expect(Buffer.from(again[1]!.protobuf).equals(first[1]!.protobuf)).toBe(true)
  expect(Buffer.from(again[1]!.json).equals(first[1]!.json)).toBe(true)
  expect(other[1]!.spans[0]!.traceId).not.toBe(first[1]!.spans[0]!.traceId)
})

test('protobuf and JSON contain the same spans, and the list names the spans in order', () => {
  const [request] = take(1)
  const fromProtobuf = spansOf(decodeTraceRequest(request!.protobuf))
  const fromJson = spansOf(JSON.parse(Buffer.from(request!.json).toString()) as TraceRequest)
  const hex = (id: unknown) => Buffer.from(id as Uint8Array).toString('hex')

  expect(fromProtobuf.map(s => [hex(s.traceId), hex(s.spanId)])).toEqual(request!.spans.map(s => [s.traceId, s.spanId]))
  expect(fromJson.map(s => [s.traceId, s.spanId])).toEqual(request!.spans.map(s => [s.traceId, s.spanId]))
  expect(fromJson.map(s => s.startTimeUnixNano)).toEqual(fromProtobuf.map(s => s.startTimeUnixNano))
  expect(fromJson.map(s => s.attributes?.length)).toEqual(fromProtobuf.map(s => s.attributes?.length))
  expect(new Set(fromProtobuf.map(s => s.attributes?.length))).toEqual(new Set([27]))
})

test('JSON has the form that the SDKs send', () => {
  const [span] = spansOf(JSON.parse(Buffer.from(take(1)[0]!.json).toString()) as TraceRequest)
  expect(span).toMatchObject({ events: [], links: [], droppedAttributesCount: 0, flags: 257 })
  expect(span!.startTimeUnixNano).toMatch(/^\d{19}$/)
  expect(span!.attributes!.find(a => a.key === 'gen_ai.usage.input_tokens')!.value!.intValue).toBeTypeOf('number')
})

test('every parent is a span of the same trace, and every trace has one root', () => {
  const spans = take(20).flatMap(r => r.spans)
  const traces = [...Map.groupBy(spans, s => s.traceId).values()]
  // The root is the last span of a trace. The last of these traces can continue in the next request, and then has no root here.
  const complete = traces.filter(own => own.some(s => s.parentSpanId === null))
  expect(traces.length - complete.length).toBeLessThanOrEqual(1)
  for (const own of complete) {
    const ids = new Set(own.map(s => s.spanId))
    expect(ids.size).toBe(own.length)
    expect(own.filter(s => s.parentSpanId === null)).toHaveLength(1)
    expect(own.filter(s => s.parentSpanId !== null && !ids.has(s.parentSpanId))).toEqual([])
  }
})

test('requests alternate between projects, and a trace stays in its project', () => {
  const requests = take(9, { projectCount: 3 })
  expect(requests.map(r => r.projectId).slice(0, 4)).toEqual(['project-0', 'project-1', 'project-2', 'project-0'])
  for (const [, spans] of Map.groupBy(
    requests.flatMap(r => r.spans),
    s => s.traceId,
  )) {
    expect(new Set(spans.map(s => s.projectId)).size).toBe(1)
  }
})
