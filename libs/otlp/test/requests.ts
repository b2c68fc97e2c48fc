// Generates random requests as OTLP/JSON. protobufjs can encode the same requests.
import fc from 'fast-check'
import type { Json } from './oracle.ts'

export const receivedAtMs = Date.UTC(2026, 10, 21)
export const options = { receivedAtMs, maxAgeMonths: 36 }

/** Bytes stay hex text until a test converts them for its encoder. */
const hex = (bytes: number) => fc.uint8Array({ minLength: bytes, maxLength: bytes }).map(b => Buffer.from(b).toString('hex'))
const id = (bytes: number) => hex(bytes).filter(text => !/^0*$/.test(text))
/** The generator has few trace ids, so that several spans belong to the same trace. */
const traceId = fc.constantFrom('0af7651916cd43dd8448eb211c80319c', 'ffffffffffffffffffffffffffffffff', '00000000000000000000000000000001')
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)
const time = fc.bigInt({ min: BigInt(receivedAtMs - 80_000_000_000) * 1_000_000n, max: BigInt(receivedAtMs) * 1_000_000n }).map(String)
const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.string({ maxLength: 300 }), fc.constant('x'.repeat(20_000)))
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 4 })
const record = (fields: { [key: string]: fc.Arbitrary<unknown> }) =>
  fc
    .record(Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, optional(value)])))
    .map(made => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)) as Json)

const { attribute } = fc.letrec<{ value: Json; attribute: Json }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    text.map(stringValue => ({ stringValue })),
    fc.boolean().map(boolValue => ({ boolValue })),
    int64.map(intValue => ({ intValue })),
    fc.double({ noNaN: true }).map(doubleValue => ({ doubleValue })),
    fc.uint8Array({ maxLength: 10 }).map(b => ({ bytesValue: Buffer.from(b).toString('base64') })),
    fc.array(tie('value'), { maxLength: 3 }).map(values => ({ arrayValue: { values } })),
    fc.array(tie('attribute'), { maxLength: 3 }).map(values => ({ kvlistValue: { values } })),
    fc.constant({}),
  ),
  attribute: record({ key: text, value: tie('value') }),
}))

const attributes = fc.array(attribute, { maxLength: 4 })
const count = fc.nat(2 ** 32 - 1)

const spanFields = {
  traceState: text,
  parentSpanId: id(8),
  flags: count,
  name: text,
  kind: fc.nat(5),
  endTimeUnixNano: time,
  attributes,
  droppedAttributesCount: count,
  events: fc.array(record({ timeUnixNano: time, name: text, attributes, droppedAttributesCount: count }), { maxLength: 2 }),
  droppedEventsCount: count,
  links: fc.array(record({ traceId: id(16), spanId: id(8), traceState: text, attributes, flags: count }), { maxLength: 2 }),
  droppedLinksCount: count,
  status: record({ code: fc.nat(2), message: text }),
}

const validSpan = fc.tuple(traceId, id(8), optional(time), record(spanFields)).map(
  ([trace, spanId, startTimeUnixNano, rest]): Json => ({
    traceId: trace,
    spanId,
    ...(startTimeUnixNano && { startTimeUnixNano }),
    ...rest,
  }),
)

const brokenSpan = fc
  .tuple(validSpan, fc.constantFrom<Json>({ traceId: undefined }, { spanId: '0000000000000000' }, { traceId: 'abcd' }))
  .map(([span, fault]): Json => Object.fromEntries(Object.entries({ ...span, ...fault }).filter(([, value]) => value !== undefined)))

const requestOf = (span: fc.Arbitrary<Json>) =>
  fc
    .array(
      record({
        resource: record({ attributes, droppedAttributesCount: count }),
        scopeSpans: fc.array(
          record({ scope: record({ name: text, version: text, attributes }), spans: fc.array(span, { maxLength: 5 }), schemaUrl: text }),
          { maxLength: 3 },
        ),
        schemaUrl: text,
      }),
      { maxLength: 3 },
    )
    .map((resourceSpans): Json => ({ resourceSpans }))

export const validRequest = requestOf(validSpan)
export const mixedRequest = requestOf(fc.oneof({ weight: 3, arbitrary: validSpan }, { weight: 1, arbitrary: brokenSpan }))

/** Converts ids to bytes, because the encoder of protobufjs would read hex text as base64. */
export const wireForm = (value: unknown, key = ''): unknown => {
  if (Array.isArray(value)) return value.map(item => wireForm(item))
  if (typeof value === 'string' && /^(trace|span|parentSpan)Id$/.test(key)) return Buffer.from(value, 'hex')
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, wireForm(inner, name)]))
}
