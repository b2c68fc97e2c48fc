import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonWarning } from '../src/json/scalars.ts'
import { maxContainers } from '../src/nesting.ts'
import { scanTraceRequest } from '../src/scan.ts'
import { anyValueOf, ids, ns, rejectionOf, rejectionsOf, requestText, spanOf, spansOf, transcode } from './json-text.ts'
import { decodeRequest, encodeRequest, type Json } from './oracle.ts'
import { mixedRequest, options, receivedAtMs, validRequest, wireForm } from './requests.ts'

/** JSON.stringify cannot write some numbers; the function turns these numbers into texts. Ids stay hex. */
const jsonForm = (value: unknown): unknown => {
  if (Object.is(value, -0)) return '-0'
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (Array.isArray(value)) return value.map(jsonForm)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, jsonForm(inner)]))
}
const spellings: ((request: Json) => string)[] = [
  request => JSON.stringify(jsonForm(request)),
  request => JSON.stringify(jsonForm(request), null, 2),
  request => JSON.stringify(jsonForm(request)).replace(/[\u007f-\uffff]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  request => JSON.stringify(jsonForm(request)).replace(/"(intValue|\w+UnixNano)":"(-?\d+)"/g, '"$1":$2'),
  request => JSON.stringify(jsonForm(request)).replaceAll('/', '\\/').replaceAll('"key"', '"\\u006bey"'),
]

describe('OTLP/JSON', () => {
  test('gives the same spans as the protobuf of the request in any JSON form', () => {
    fc.assert(
      fc.property(validRequest, fc.constantFrom(...spellings), (request, spell) => {
        const text = spell(request)
        expect(decodeRequest(transcode(text))).toEqual(decodeRequest(encodeRequest(wireForm(request) as Json)))
      }),
      { numRuns: 300 },
    )
  })

  test('F30 · rejects the same spans as the protobuf of the request', () => {
    fc.assert(
      fc.property(mixedRequest, request => {
        const reasons = (bytes: Uint8Array) => {
          const { spanCount, rejected } = scanTraceRequest(bytes, options)
          return { spanCount, rejected: rejected.map(r => [r.index, r.reason]) }
        }
        expect(reasons(transcode(spellings[0]!(request)))).toEqual(reasons(encodeRequest(wireForm(request) as Json)))
      }),
    )
  })

  test('accepts empty requests, empty lists, and null for absent values', () => {
    expect(transcode('{}')).toHaveLength(0)
    expect(transcode(' \n{ "resourceSpans" : [ ] }\t')).toHaveLength(0)
    expect(transcode('{"resourceSpans":null}')).toHaveLength(0)
    expect(transcode('\ufeff{}')).toHaveLength(0)
    expect(decodeRequest(transcode('{"resourceSpans":[null,{"resource":null,"scopeSpans":[null]}]}'))).toEqual({ resourceSpans: [{}] })
    expect(spanOf('"parentSpanId":"","name":null,"events":[],"links":null,"status":{}')).toEqual({
      traceId: 'ab'.repeat(16),
      spanId: 'cd'.repeat(8),
      status: {},
    })
  })

  test('skips unknown fields, even with names of JavaScript built-ins', () => {
    const unknown =
      '"__proto__":{"polluted":[1,{"a":"}"}]},"constructor":"x","span_identity":"00","toString":[[],{}],"kind2":-1.5e-3,"t":true'
    expect(spanOf(`${unknown},"name":"n"`)).toEqual({ traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), name: 'n' })
    expect(({} as Json)['polluted']).toBeUndefined()
    const [attribute] = spanOf('"attributes":[{"key":"__proto__","value":{"stringValue":"v"}}]')['attributes'] as Json[]
    expect(attribute).toEqual({ key: '__proto__', value: { stringValue: 'v' } })
  })

  test('reads protobuf’s own names and names from before 1.0', () => {
    const span = `{"trace_id":"${'ab'.repeat(16)}","span_id":"${'cd'.repeat(8)}","name":"n","start_time_unix_nano":"5"}`
    const named = `{"resource_spans":[{"scope_spans":[{"scope":{"name":"s"},"spans":[${span}]}]}]}`
    const former = `{"resourceSpans":[{"instrumentationLibrarySpans":[{"instrumentationLibrary":{"name":"s"},"spans":[${span}]}]}]}`
    const wanted = [{ scopeSpans: [{ scope: { name: 's' }, spans: [{ name: 'n', spanId: 'cd'.repeat(8) }] }] }]
    for (const text of [named, former]) expect(decodeRequest(transcode(text))).toMatchObject({ resourceSpans: wanted })
  })

  test('the last of duplicate keys wins', () => {
    expect(spanOf('"name":"a","kind":1,"name":"b","kind":2')).toMatchObject({ name: 'b', kind: 2 })
    expect(spanOf('"kind":1,"kind":0')).not.toHaveProperty('kind')
    expect(rejectionOf('"spanId":"zz"')).toMatchObject({ reason: 'span_id_invalid' })
  })

  test('reads text with escapes, surrogate pairs, unpaired surrogates, NUL and raw control characters', () => {
    const text = (json: string) => (anyValueOf(`{"stringValue":"${json}"}`) as { stringValue: string }).stringValue
    expect(text('\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\u20AC')).toBe('"\\/\b\f\n\r\tä€')
    expect(text('\\ud83d\\ude00 😀')).toBe('😀 😀')
    expect(text('a\\ud800b')).toBe('a\ufffdb')
    expect(text('\\udc00\\ud800\\ud800\\udc00')).toBe('\ufffd\ufffd\u{10000}')
    expect(text('\\ud800')).toBe('\ufffd')
    expect(text('nul \\u0000 \u0000 tab\t')).toBe('nul \u0000 \u0000 tab\t')
    for (const length of [20, 31, 32, 33, 127, 128, 129, 16_383, 16_384, 16_385]) {
      const long = 'x'.repeat(length)
      expect(text(long)).toBe(long)
      expect(text(`${long}\\n${long}\\u00e4`)).toBe(`${long}\n${long}ä`)
    }
  })

  test('copies invalid UTF-8 unchanged', () => {
    const [before, after] = requestText(`{${ids},"name":"|"}`).split('|') as [string, string]
    const bytes = transcode(Buffer.concat([Buffer.from(before), Buffer.of(0xff, 0xfe), Buffer.from(after)]))
    expect(Buffer.from(bytes).includes(Buffer.of(0x2a, 2, 0xff, 0xfe))).toBe(true)
  })

  test('Appendix G · a number or boolean in place of text keeps its text, and a structure is ignored', () => {
    expect(spanOf('"name":42,"traceState":{"a":1}')).toMatchObject({ name: '42' })
    const bytes = transcode(`{"resourceSpans":[{"scopeSpans":[{"scope":{"name":1.50,"version":true},"spans":[{${ids}}]}]}]}`)
    expect(decodeRequest(bytes)).toMatchObject({ resourceSpans: [{ scopeSpans: [{ scope: { name: '1.50', version: 'true' } }] }] })
    expect(scanTraceRequest(bytes, options).rejected).toEqual([])
  })

  test('Appendix G · accepts attributes without a value and null in lists', () => {
    expect(spanOf('"attributes":[{"key":"a"},null,{"key":"b","value":null},{"key":"c","value":{}}]')['attributes']).toEqual([
      { key: 'a' },
      { key: 'b' },
      { key: 'c', value: {} },
    ])
    expect(anyValueOf('{"arrayValue":{"values":[null,{"intValue":1}]}}')).toEqual({ arrayValue: { values: [{ intValue: '1' }] } })
    expect(anyValueOf('{"arrayValue":{}}')).toEqual({ arrayValue: {} })
    expect(anyValueOf('{"stringValue":null,"intValue":1}')).toEqual({ intValue: '1' })
  })

  test.each([
    ['1099511627776', '1099511627776'],
    ['"9223372036854775807"', '9223372036854775807'],
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['"-1"', '-1'],
    ['-0', '0'],
    ['0', '0'],
    ['1e3', '1000'],
    ['1.5e3', '1500'],
    ['"1.50E+1"', '15'],
    ['9007199254740993', '9007199254740993'],
    ['9.223372036854775807e18', '9223372036854775807'],
    ['1000e-3', '1'],
    ['0e99999999', '0'],
    ['"00000000000000000000000042"', '42'],
    ['{"low":-1,"high":1}', '8589934591'],
    ['{ "high": -1, "low": -2 , "unsigned": false}', '-2'],
  ])('intValue %s is exactly %s', (json, exact) => {
    expect(anyValueOf(`{"intValue":${json}}`)).toEqual({ intValue: exact })
  })

  test.each([
    ['9223372036854775808', 2 ** 63],
    ['"18446744073709551616"', 2 ** 64],
    ['-9223372036854775809', -(2 ** 63)],
    ['1e30', 1e30],
    [`1${'0'.repeat(300)}`, 1e300],
    [`1${'0'.repeat(1000)}`, Number.POSITIVE_INFINITY],
    ['1e999', Number.POSITIVE_INFINITY],
    ['1.5', 1.5],
    ['1e-9', 1e-9],
  ])('Appendix G · intValue %s, which is not a 64-bit integer, is kept as a double', (json, double) => {
    expect(anyValueOf(`{"intValue":${json}}`)).toEqual({ doubleValue: double })
  })

  test.each([
    ['1.5', 1.5],
    ['-0.0', -0],
    ['"1e-3"', 0.001],
    ['"NaN"', Number.NaN],
    ['"Infinity"', Number.POSITIVE_INFINITY],
    ['"-Infinity"', Number.NEGATIVE_INFINITY],
    ['7', 7],
    ['1e400', Number.POSITIVE_INFINITY],
  ])('doubleValue %s', (json, double) => {
    expect(anyValueOf(`{"doubleValue":${json}}`)).toEqual({ doubleValue: double })
  })

  test('boolValue, bytesValue', () => {
    expect(anyValueOf('{"boolValue":false}')).toEqual({ boolValue: false })
    expect(anyValueOf('{"boolValue":"true"}')).toEqual({ boolValue: true })
    expect(anyValueOf('{"bytesValue":"AP8="}')).toEqual({ bytesValue: '00ff' })
    expect(anyValueOf('{"bytesValue":"\\u0041P8"}')).toEqual({ bytesValue: '00ff' })
    expect(anyValueOf('{"bytesValue":""}')).toEqual({ bytesValue: '' })
  })

  test('enums: numbers, numeric text, and names with a warning', () => {
    const warnings: JsonWarning[] = []
    expect(spanOf('"kind":3,"status":{"code":"2"}', warnings)).toMatchObject({ kind: 3, status: { code: 2 } })
    expect(warnings).toEqual([])
    expect(spanOf('"kind":"SPAN_KIND_CLIENT","status":{"code":"STATUS_CODE_ERROR"}', warnings)).toMatchObject({
      kind: 3,
      status: { code: 2 },
    })
    const unknown = spanOf('"kind":"NONE","status":{"code":-1}', warnings)
    expect(unknown).not.toHaveProperty('kind')
    expect(unknown['status']).toEqual({})
    expect(warnings).toEqual(['enum_name', 'enum_name', 'enum_name', 'enum_name'])
    expect(spanOf('')).not.toHaveProperty('kind')
  })

  test('ids: accepts hex in either case, and keeps a link without a usable id', () => {
    const warnings: JsonWarning[] = []
    const upper = `{"traceId":"ABABABABABABABABABABABABABABABAB","spanId":"CdCdCdCdCdCdCdCd"}`
    expect(spansOf(requestText(upper))).toEqual([{ traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) }])
    expect(spanOf('"links":[{"traceId":"nope","spanId":"0000000000000001"}]', warnings)['links']).toEqual([{ spanId: '0000000000000001' }])
    expect(warnings).toEqual(['link_id_invalid'])
  })

  test('F30 · a defect rejects only its own span, with a reason', () => {
    const good = `{${ids}}`
    const rejected = rejectionsOf(
      good,
      '{"traceId":"xyz","spanId":"cdcdcdcdcdcdcdcd"}',
      '{"traceId":"abababababababababababababababag","spanId":"cdcdcdcdcdcdcdcd"}',
      '{"traceId":"q6urq6urq6urq6urq6urqw==","spanId":"zc3Nzc3NzQ=="}',
      `{${ids},"parentSpanId":7}`,
      '{"spanId":"cdcdcdcdcdcdcdcd"}',
      `{${ids},"attributes":{"a":1}}`,
      `{${ids},"attributes":[1]}`,
      `{${ids},"events":"none"}`,
      `{${ids},"status":2}`,
      `{${ids},"attributes":[{"key":"k","value":"bare"}]}`,
      `{${ids},"attributes":[{"key":"k","value":{"intValue":"many"}}]}`,
      `{${ids},"attributes":[{"key":"k","value":{"doubleValue":""}}]}`,
      `{${ids},"attributes":[{"key":"k","value":{"boolValue":1}}]}`,
      'null',
      '42',
      good,
    )
    expect(rejected.map(r => [r.index, r.reason])).toEqual([
      [1, 'trace_id_invalid'],
      [2, 'trace_id_invalid'],
      [3, 'trace_id_invalid'],
      [4, 'parent_span_id_invalid'],
      [5, 'trace_id_absent'],
      ...[6, 7, 8, 9, 10, 11, 12, 13, 14, 15].map(index => [index, 'malformed']),
    ])
    expect(rejected[0]?.message).toContain('xyz')
    expect(rejected[5]?.message).toBe('attributes is not a list.')
    expect(rejected[10]?.message).toContain('many')
  })

  test('F16 · times: text, numbers and exponents are exact to the nanosecond, and an invalid time counts as missing', () => {
    const warnings: JsonWarning[] = []
    expect(spanOf('"startTimeUnixNano":"1795219201972000001","endTimeUnixNano":1795219205261110793', warnings)).toMatchObject({
      startTimeUnixNano: '1795219201972000001',
      endTimeUnixNano: '1795219205261110793',
    })
    expect(spanOf('"startTimeUnixNano":1.795219201972000001e18')).toMatchObject({ startTimeUnixNano: '1795219201972000001' })
    expect(spanOf('"startTimeUnixNano":{"low":3,"high":417000000}')).toMatchObject({
      startTimeUnixNano: String(417000000n * 2n ** 32n + 3n),
    })
    expect(warnings).toEqual([])
    const missing = spanOf('"startTimeUnixNano":"","endTimeUnixNano":"yesterday","events":[{"timeUnixNano":-5}]', warnings)
    expect(missing).not.toHaveProperty('startTimeUnixNano')
    expect(missing).not.toHaveProperty('endTimeUnixNano')
    expect(warnings).toEqual(['time_invalid', 'time_invalid', 'time_invalid'])
    expect(rejectionOf(`"startTimeUnixNano":"${ns('2299-01-01')}"`)).toMatchObject({ reason: 'start_time_range' })
    expect(rejectionOf('"startTimeUnixNano":1e30')).toMatchObject({ reason: 'start_time_range', message: expect.stringContaining('1e30') })
    expect(rejectionOf(`"startTimeUnixNano":"${receivedAtMs}000000"`)).toBeUndefined()
  })

  const deep = (lists: number) => `${'{"arrayValue":{"values":['.repeat(lists)}{"intValue":1}${']}}'.repeat(lists)}`
  const deepSpan = (lists: number) => `{${ids},"attributes":[{"key":"k","value":${deep(lists)}}]}`

  test('F29 · values nested too deep reject their span at the same level as in protobuf', () => {
    expect(rejectionsOf(deepSpan(maxContainers), deepSpan(maxContainers + 1), deepSpan(10_000), deepSpan(1))).toMatchObject([
      { index: 1, reason: 'too_deep' },
      { index: 2, reason: 'too_deep' },
    ])
  })

  test('F29 · skips unknown fields a million levels deep without using the stack', () => {
    expect(spanOf(`"x":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)},"name":"n"`)).toMatchObject({ name: 'n' })
    expect(() => transcode(`{"x":${'['.repeat(1_000_000)}`)).toThrow(expect.objectContaining({ code: 'body_undecodable' }))
  })

  test.each([
    ['', 0],
    ['[]', 0],
    ['{"resourceSpans":[]} x', 21],
    ['{"resourceSpans":{}}', 17],
    ['{"resourceSpans":[{"scopeSpans":"x"}]}', 32],
    ['{"resourceSpans":[{"resource":{"attributes":{}}}]}', 44],
    ['{"a":01}', 5],
    ['{"a":1.}', 5],
    ['{"a":nul}', 5],
    ['{"a" 1}', 5],
    ['{"a":[1,]}', 8],
    ['{"a":{"b":1,}}', 12],
    ['{"a":[1}', 7],
    ['{"a":1,}', 7],
    ["{'a':1}", 1],
    ['{"a":"\\', 5],
  ])('%s is rejected at byte %i', (json, position) => {
    expect(() => transcode(json)).toThrow(expect.objectContaining({ code: 'body_undecodable', params: { position } }))
  })

  test('rejects an invalid escape', () => {
    for (const bad of ['\\x', '\\u12', '\\u12g4', '\\u'])
      expect(() => spanOf(`"name":"${bad}"`)).toThrow(expect.objectContaining({ code: 'body_undecodable' }))
  })
})
