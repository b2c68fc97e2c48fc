import { encodeSpanBatch, type SpanBatch } from '@svc-server/schema/span-batch'
import type { TraceCandidate, TraceCandidates } from '@svc-server/schema/trace-candidates'
import { attributes, encodeTraceRequest, type Span, type TraceRequest } from '@svc-server/testkit'
import fc from 'fast-check'
import { createTraceReader, joinCandidates, noCandidates, type TraceReaderOptions, type TraceReading } from '../../src/trace/index.ts'
import { traceFields } from '../../src/trace/join.ts'
import { aSpan, batchOf, requestOf } from '../mapped-rows.ts'

type Values = Parameters<typeof attributes>[0]

const reader = createTraceReader()

export const staged = (request: TraceRequest, fields: Partial<SpanBatch> = {}): Uint8Array =>
  encodeSpanBatch(batchOf(encodeTraceRequest(request), fields))

export type Read = Extract<TraceReading, { ok: true }>

export function readingOf(request: TraceRequest, fields: Partial<SpanBatch> = {}, options?: TraceReaderOptions): Read {
  const reading = (options === undefined ? reader : createTraceReader(options)).read(staged(request, fields))
  if (!reading.ok) throw new Error(reading.message)
  return reading
}

/** Creates a child span. `fields` can override the parent. */
export const childSpan = (values: Values = {}, fields: Partial<Span> = {}): Span =>
  aSpan({ parentSpanId: 'aaaaaaaaaaaaaaaa', attributes: attributes(values), ...fields })

export const rootSpan = (values: Values = {}, fields: Partial<Span> = {}): Span => aSpan({ attributes: attributes(values), ...fields })

export const requestOfSpans = (...spans: readonly Span[]): TraceRequest => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] })

export const saidBy = (
  values: Values,
  facts: Parameters<typeof requestOf>[1] = {},
  fields: Partial<SpanBatch> = {},
): Readonly<Record<string, string>> =>
  valuesOf(readingOf(requestOf(values, { ...facts, span: { parentSpanId: 'aaaaaaaaaaaaaaaa', ...facts.span } }), fields).candidates)

export const valuesOf = ({ winners }: TraceCandidates): Readonly<Record<string, string>> =>
  Object.fromEntries(winners.map(({ field, value }) => [field, value]))

export const joined = (parts: readonly TraceCandidates[]): TraceCandidates => parts.reduce(joinCandidates, noCandidates)

/** Each field has few possible values. Two candidates therefore often differ only in the field that is compared last. */
const candidate = (field: TraceCandidate['field']): fc.Arbitrary<TraceCandidate> =>
  fc.record({
    field: fc.constant(field),
    root: fc.boolean(),
    explicit: fc.boolean(),
    startNs: fc.bigInt(0n, 3n),
    spanId: fc.constantFrom('0000000000000001', '00000000000000ff', 'ff00000000000000'),
    value: field === 'public' ? fc.constantFrom('true', 'false') : fc.constantFrom('a', 'b', 'aa', '\uffff', '\u{1f600}'),
  })

export const anyCandidates: fc.Arbitrary<TraceCandidates> = fc
  .record({
    winners: fc.tuple(...traceFields.map(field => fc.option(candidate(field), { nil: undefined }))),
    tags: fc.array(fc.constantFrom('a', 'b', 'c', 'aa', '\uffff', '\u{1f600}'), { maxLength: 4 }),
    rootSeen: fc.boolean(),
  })
  .map(({ winners, tags, rootSeen }) => ({
    winners: winners.filter(winner => winner !== undefined),
    tags: [...new Set(tags)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    rootSeen,
  }))
