// The reader must reject only the defective span. All others must equal the spans that JSON.parse reads and an independent encoder writes.
import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { transcodeJsonRequest } from '../src/json/transcode.ts'
import { scanTraceRequest } from '../src/scan.ts'
import { decodeRequest, encodeRequest, type Json } from './oracle.ts'
import { options, wireForm } from './requests.ts'

/** Generates JSON text with random escapes. */
const spelledText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\\"',
        '\\\\',
        '\\n',
        '\\/',
        '\\u0022',
        '\\u005c',
        '\\u00e4',
        '\\ud83d\\ude00',
        '\\ud83d',
        '\\u0000',
        'ä',
        '😀',
        '{',
        ']',
      ),
      fc.integer({ min: 1, max: 70 }).map(length => 'x'.repeat(length)),
    ),
    { maxLength: 8 },
  )
  .map(parts => `"${parts.join('')}"`)

const space = fc.constantFrom('', ' ', '\n\t')
const texts = fc.tuple(spelledText, spelledText, space).map(([key, value, s]) => `{${s}"key":${key},${s}"value":{"stringValue":${value}}}`)
const fields = fc.oneof(
  spelledText.map(text => `"name":${text}`),
  spelledText.map(text => `"traceState":${text}`),
  fc.tuple(spelledText, spelledText).map(([key, value]) => `${key.replace('"', '"~')}:[{"a":${value}},null,-1.5e3]`),
)
const span = fc
  .tuple(fc.array(fields, { maxLength: 4 }), fc.array(texts, { maxLength: 4 }), fc.integer({ min: 1, max: 0xffff }))
  .map(([list, attributes, id]) => [
    `"traceId":"${'ab'.repeat(16)}"`,
    `"spanId":"${String(id).padStart(16, '0')}"`,
    ...list,
    `"attributes":[${attributes.join(',')}]`,
  ])

/** A defect can be inside a structure, or after a string that the reader has already scanned. */
const defect = fc.oneof(
  fc.constantFrom('"status":2', '"attributes":[1]', '"links":"none"', '"parentSpanId":"xyz"', '"spanId":7', '"startTimeUnixNano":1e30'),
  spelledText.map(text => `"attributes":[{"key":"k","value":${text}}]`),
  spelledText.map(text => `"attributes":[{"key":${text},"value":{"intValue":"many"}}]`),
  spelledText.map(text => `"parentSpanId":${text.replace('"', '"~')}`),
  fc.tuple(texts, texts).map(([before, after]) => `"attributes":[${before},{"key":"k","value":{"boolValue":{"a":"\\""}}},${after}]`),
)

const batch = fc
  .record({ spans: fc.array(span, { minLength: 1, maxLength: 4 }), defect, which: fc.nat(), where: fc.nat() })
  .map(({ spans, defect, which, where }) => {
    const index = which % spans.length
    const broken = spans[index]!
    const place = where % (broken.length + 1)
    const listed = spans.map((fields, i) => (i === index ? [...broken.slice(0, place), defect, ...broken.slice(place)] : fields))
    return { index, text: `{"resourceSpans":[{"scopeSpans":[{"spans":[${listed.map(f => `{${f.join(',')}}`).join(',')}]}]}]}` }
  })

const spansIn = (request: unknown): Json[] =>
  (request as { resourceSpans: { scopeSpans: { spans: Json[] }[] }[] }).resourceSpans[0]!.scopeSpans[0]!.spans

/** UTF-8 cannot represent unpaired surrogates. */
const wellFormed = (value: unknown): unknown => {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, wellFormed(inner)]))
}

test('F30 · rejects only the defective span among arbitrary JSON', () => {
  fc.assert(
    fc.property(batch, ({ index, text }) => {
      const bytes = transcodeJsonRequest(Buffer.from(text))
      expect(scanTraceRequest(bytes, options).rejected.map(rejection => rejection.index)).toEqual([index])
      const others = (list: Json[]) => list.filter((_, i) => i !== index)
      const parsed = JSON.parse(text) as Json
      const known = others(spansIn(parsed)).map(fields =>
        Object.fromEntries(Object.entries(fields).filter(([key]) => !key.startsWith('~'))),
      )
      const request = { resourceSpans: [{ scopeSpans: [{ spans: known }] }] }
      expect(others(spansIn(decodeRequest(bytes)))).toEqual(
        known.length === 0 ? [] : spansIn(decodeRequest(encodeRequest(wireForm(wellFormed(request)) as Json))),
      )
    }),
    { numRuns: sized(2000, 500) },
  )
})
