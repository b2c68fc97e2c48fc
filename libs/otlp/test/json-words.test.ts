// The reader searches and copies text in 32-bit words, and computes a short decimal as an integer divided by a power of ten. The
// reader's result must equal the result of JSON.parse, whatever the alignment of the body in memory.
import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shortDecimal } from '../src/json/integers.ts'
import { transcodeJsonRequest } from '../src/json/transcode.ts'
import { anyValueOf } from './json-text.ts'
import { decodeRequest, type Json } from './oracle.ts'

const longest = 140

const within = (json: string, before: number): Uint8Array => {
  const body = Buffer.from(json)
  const room = Buffer.alloc(before + body.length + 8, '"')
  body.copy(room, before)
  return room.subarray(before, before + body.length)
}

const schemaUrlOf = (body: Uint8Array) => ((decodeRequest(transcodeJsonRequest(body)) as Json)['resourceSpans'] as Json[])[0]!['schemaUrl']

test('reads a text of any length with an escape at any position', () => {
  for (let length = 1; length <= longest; length++) {
    for (let at = 0; at < length; at++) {
      const json = `"${'x'.repeat(at)}\\n${'y'.repeat(length - at - 1)}"`
      expect(schemaUrlOf(within(`{"resourceSpans":[{"schemaUrl":${json}}]}`, length % 4))).toBe(JSON.parse(json))
    }
    const plain = 'z'.repeat(length)
    expect(schemaUrlOf(within(`{"resourceSpans":[{"schemaUrl":"${plain}"}]}`, length % 4))).toBe(plain)
  }
})

test('rejects a body that ends within or after a text at that position', () => {
  const json = `{"resourceSpans":[{"schemaUrl":"${'x'.repeat(longest)}\\n\\\\"}]}`
  for (let end = json.indexOf('x'); end < json.length; end++) {
    expect(() => transcodeJsonRequest(within(json.slice(0, end), end % 4))).toThrow(/, but the body ends\.$|string without an end\.$/)
  }
})

test('reads a short decimal as the same double as JSON.parse', () => {
  const decimals = fc
    .tuple(fc.constantFrom('', '-'), fc.stringMatching(/^(0|[1-9]\d{0,9})(\.\d{1,9})?([eE]-?\d)?$/))
    .map(([sign, text]) => sign + text)
  fc.assert(
    fc.property(decimals, text => {
      const bytes = Buffer.from(`,${text},`)
      const found = shortDecimal(bytes, 1, bytes.length - 1)
      const isShort = !/e/i.test(text) && text.replaceAll(/\D/g, '').length <= 15
      expect(found).toBe(isShort ? JSON.parse(text) : Number.NaN)
      expect(anyValueOf(`{"doubleValue":${text}}`)).toEqual({ doubleValue: JSON.parse(text) })
    }),
    { numRuns: sized(3000, 600) },
  )
})
