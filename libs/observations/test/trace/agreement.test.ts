// The propagator and the writer must agree on the values of a span. If the propagator's trace reader finds a value in the span, the
// writer's row must contain this value. If the trace reader finds no value, the row must contain the value that the propagator fills in.
import { readNativeBlock } from '@svc-server/column-store/native'
import type { SpanBatch } from '@svc-server/schema/span-batch'
import type { TraceAttributes } from '@svc-server/schema/trace-attributes'
import {
  attributes,
  decodeTraceRequest,
  encodeTraceRequest,
  fixtureHeader,
  otlpFixtures,
  sized,
  type TraceRequest,
} from '@svc-server/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createChunkEncoder } from '../../src/block/chunk-encoder.ts'
import { maxTagLength, maxValueBytes } from '../../src/trace/index.ts'
import { type FuzzedSpan, fuzzedSpan } from '../fuzz/spans.ts'
import { aSpan, batchOf, protobufOf, recordOf, requestOf } from '../mapped-rows.ts'
import { readingOf, valuesOf } from './candidates.ts'

const encoder = createChunkEncoder()

const fill = {
  name: 'filled name',
  userId: 'filled user',
  sessionId: 'filled session',
  release: 'filled release',
  version: 'filled version',
  environment: 'filled',
  tags: ['filled'],
  public: true,
} satisfies TraceAttributes

const columns = {
  name: 'trace_name',
  userId: 'user_id',
  sessionId: 'session_id',
  release: 'release',
  version: 'version',
  environment: 'environment',
  public: 'public',
} as const

function rowOf(request: TraceRequest, fields: Partial<SpanBatch>) {
  const chunk = encoder.encode([recordOf(batchOf(encodeTraceRequest(request), fields))])
  return readNativeBlock(chunk.body)[0]
}

const isTooLong = (text: string) => Buffer.byteLength(text) > maxValueBytes

/** Encodes the request without and with propagated values. Returns the number of columns whose values differ between the two rows. */
function agrees(request: TraceRequest, fields: Partial<SpanBatch> = {}): number {
  const { candidates, spans, invalid } = readingOf(request, fields)
  const own = rowOf(request, fields)
  const filled = rowOf(request, { ...fields, traceAttributes: fill })
  expect(spans).toBe(1)
  expect(invalid).toBe(own === undefined ? 1 : 0)
  if (own === undefined || filled === undefined) {
    expect(candidates).toEqual({ winners: [], tags: [], rootSeen: false })
    return 0
  }
  const found = new Map(candidates.winners.map(winner => [winner.field, winner]))
  let changed = 0
  for (const field of Object.keys(columns) as (keyof typeof columns)[]) {
    const column = columns[field]
    const winner = found.get(field)
    const rootName = field === 'name' && winner?.explicit === false
    if (winner !== undefined && !rootName) {
      expect(winner.value, field).toBe(String(own[column]))
      expect(filled[column], field).toEqual(own[column])
    } else if (filled[column] === own[column]) {
      // The trace does not use an empty value or a value that is too long.
      expect(own[column] === '' || isTooLong(String(own[column])), field).toBe(true)
    } else {
      changed++
      expect(filled[column], field).toBe(fill[field])
    }
    if (rootName) expect(winner.value).toBe(own['name'])
  }
  const ownTags = own['tags'] as readonly string[]
  const wanted = [...new Set(ownTags)].filter(tag => tag !== '' && tag.length <= maxTagLength)
  expect(candidates.tags).toEqual(wanted.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
  if (ownTags.length > 0) expect(filled['tags']).toEqual(ownTags)
  else if ((filled['tags'] as readonly string[]).length > 0) changed++
  const { parent_span_id, is_app_root } = own
  if (parent_span_id === '' || is_app_root === true) expect(candidates.rootSeen).toBe(true)
  const others = (row: object) => Object.entries(row).filter(([name]) => name !== 'tags' && !Object.values<string>(columns).includes(name))
  expect(others(filled)).toEqual(others(own))
  return changed
}

function* spansOf(request: TraceRequest): Generator<TraceRequest> {
  for (const { resource, scopeSpans } of request.resourceSpans ?? []) {
    for (const { scope, spans } of scopeSpans ?? []) {
      for (const span of spans ?? []) {
        yield { resourceSpans: [{ ...(resource && { resource }), scopeSpans: [{ ...(scope && { scope }), spans: [span] }] }] }
      }
    }
  }
}

test('agree on requests of real clients', () => {
  const fixtures = otlpFixtures()
  expect(fixtures.length).toBeGreaterThanOrEqual(78)
  let spans = 0
  let changed = 0
  for (const fixture of fixtures) {
    const fields = {
      sdkName: fixtureHeader(fixture, 'x-svc-sdk-name') ?? '',
      sdkVersion: fixtureHeader(fixture, 'x-svc-sdk-version') ?? '',
    }
    for (const request of spansOf(decodeTraceRequest(protobufOf(fixture)))) {
      spans++
      changed += agrees(request, fields)
    }
  }
  expect(spans).toBeGreaterThan(200)
  expect(changed).toBeGreaterThan(spans)
})

test('agree on arbitrary spans', () => {
  const parent = fc.constantFrom(undefined, '', '0000000000000000', 'aaaaaaaaaaaaaaaa')
  const fuzzed = (one: FuzzedSpan, parentSpanId: string | undefined) => {
    const { attributes, resource, events, scope, sdkVersion } = one
    const span = aSpan({ attributes, events, ...(parentSpanId !== undefined && { parentSpanId }) })
    agrees(
      { resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ scope, spans: [span] }] }] },
      { sdkName: 'python', sdkVersion },
    )
  }
  fc.assert(fc.property(fuzzedSpan, parent, fuzzed), { numRuns: 1_000_000, interruptAfterTimeLimit: sized(4_000, 800) })
})

test('agree on a request that OpenRouter could not serve, whose environment comes from the repeated request', () => {
  const completion = JSON.stringify({ completion: null, rawRequest: { trace: { environment: 'svc-llm-as-a-judge' } } })
  const openRouter = { 'service.name': 'openrouter', 'openrouter.source': 'openrouter' }
  const request = requestOf({ 'gen_ai.completion': completion }, { resource: openRouter })
  agrees(request)
  expect(valuesOf(readingOf(request).candidates)['environment']).toBe('llm-as-a-judge')
})

test('agree that dead-lettered spans (without ids, or with times out of range) state nothing', () => {
  const said = { attributes: attributes({ 'user.id': 'u', 'svc.trace.tags': ['t'] }) }
  const broken = [{ spanId: '' }, { traceId: '' }, { parentSpanId: 'aa' }, { startTimeUnixNano: 10n ** 18n }] as const
  for (const each of broken) expect(agrees({ resourceSpans: [{ scopeSpans: [{ spans: [aSpan({ ...said, ...each })] }] }] })).toBe(0)
})
