// The legacy event of a span (`SpanTraceEvent`) must state the same values about the trace, such as user, session and tags, as the span's
// row. The reader of these events must never throw.
import { readNativeBlock } from '@svc-server/column-store/native'
import { encodeSpanBatch } from '@svc-server/schema/span-batch'
import { encodeTraceRequest, sized, type TraceRequest } from '@svc-server/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createChunkEncoder } from '../../src/block/chunk-encoder.ts'
import type { SpanTraceEvent } from '../../src/trace/span-event.ts'
import { createSpanEventReader } from '../../src/trace/span-event-reader.ts'
import { fuzzedSpan } from '../fuzz/spans.ts'
import { aSpan, batchOf, recordOf, requestOf } from '../mapped-rows.ts'

const encoder = createChunkEncoder()
const reader = createSpanEventReader()

function eventsOf(request: TraceRequest): SpanTraceEvent[] {
  const events: SpanTraceEvent[] = []
  const batch = batchOf(encodeTraceRequest(request), { sdkName: 'python', sdkVersion: '3.1.0' })
  expect(reader.read(encodeSpanBatch(batch), (_, event) => events.push(event))).toMatchObject({ ok: true })
  return events
}

/** Returns true if the row's input is the span's own input. If a span has tool definitions, the row's input also contains them. */
const ownInput = (row: Record<string, unknown>) => Object.keys(row['tool_definitions'] as object).length === 0

function agrees(request: TraceRequest): void {
  const batch = batchOf(encodeTraceRequest(request), { sdkName: 'python', sdkVersion: '3.1.0' })
  const [row] = readNativeBlock(encoder.encode([recordOf(batch)]).body)
  const [event] = eventsOf(request)
  expect(event === undefined).toBe(row === undefined)
  if (row === undefined || event === undefined) return
  expect(event.spanId).toBe(row['span_id'])
  expect(event.isParentless).toBe(row['parent_span_id'] === '')
  expect(event.environment ?? 'default').toBe(row['environment'])
  if (!event.isFull) {
    expect([row['user_id'], row['session_id'], row['trace_name'], row['tags'], row['public']]).toEqual(['', '', '', [], false])
    return
  }
  const says = [event.userId, event.sessionId, event.release, event.version].map(text => text ?? '')
  expect(says).toEqual([row['user_id'], row['session_id'], row['release'], row['version']])
  expect(event.public ?? false).toBe(row['public'])
  expect(event.tags ?? []).toEqual((row['tags'] as string[]).filter(tag => tag !== ''))
  if (row['trace_name'] !== '') expect(event.name).toBe(row['trace_name'])
  else if (event.isParentless) expect(event.name).toBe(row['name'])
  if (event.isParentless && ownInput(row)) expect([event.input ?? '', event.output ?? '']).toEqual([row['input'], row['output']])
}

test('the events of arbitrary spans agree with their rows', () => {
  const parent = fc.constantFrom(undefined, '0000000000000000', 'aaaaaaaaaaaaaaaa')
  fc.assert(
    fc.property(fuzzedSpan, parent, ({ attributes, resource, events, scope }, parentSpanId) => {
      const ofTrace = attributes.filter(({ key }) => !/^svc\.trace\.(in|out)put$/.test(key ?? ''))
      const span = aSpan({ attributes: ofTrace, events, ...(parentSpanId !== undefined && { parentSpanId }) })
      agrees({ resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ scope, spans: [span] }] }] })
    }),
    { numRuns: 1_000_000, interruptAfterTimeLimit: sized(4_000, 800) },
  )
})

test('JSON nested too deeply to serialize stays text', () => {
  const deep = '['.repeat(5000) + ']'.repeat(5000)
  const [event] = eventsOf(requestOf({ 'svc.trace.metadata.k': deep, 'svc.observation.metadata': `{"m":${deep}}`, 'user.id': 'u' }))
  expect(event!.userId).toBe('u')
  expect(event!.metadata!['k'] === deep).toBe(true)
  expect(() => JSON.stringify(event!.metadata)).not.toThrow()
})

test('reports an unreadable record', () => {
  expect(reader.read(new Uint8Array([1, 2, 3]), () => {})).toMatchObject({ ok: false, reason: 'record_undecodable' })
})
