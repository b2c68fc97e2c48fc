import { isAppError } from '@svc-server/errors'
import { sized } from '@svc-server/testkit'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scanTraceRequest } from '../src/scan.ts'
import { ids, requestText, transcode } from './json-text.ts'
import { options, receivedAtMs } from './requests.ts'

describe('hostile OTLP/JSON', () => {
  const text = requestText(
    `{${ids},"name":"a\\u00e4\\"b","kind":1,"startTimeUnixNano":"${receivedAtMs}000000","attributes":[{"key":"k","value":{"arrayValue":{"values":[{"doubleValue":1.5e3}]}}}]}`,
    `{${ids},"events":[{"name":"e"}],"status":{"code":2},"unknown":{"x":[true,false,null]}}`,
  )
  const outcome = (bytes: Uint8Array) => {
    try {
      return scanTraceRequest(transcode(bytes), options).spanCount
    } catch (error) {
      if (isAppError(error) && error.code === 'body_undecodable') return 'refused'
      throw error
    }
  }

  test('F29 · survives truncation at every byte', () => {
    const bytes = Buffer.from(text)
    for (let end = 0; end < bytes.length; end++) expect(outcome(bytes.subarray(0, end))).toBe('refused')
  })

  test('F29 · survives random mutations', () => {
    const bytes = Buffer.from(text)
    const byte = fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('{}[]",:\\n0-e')))
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(bytes.length - 1), byte), { minLength: 1, maxLength: 4 }), mutations => {
        const mutated = Buffer.from(bytes)
        for (const [at, value] of mutations) mutated[at] = value
        expect(outcome(mutated)).toBeDefined()
      }),
      { numRuns: sized(5000, 1000) },
    )
  })

  test('accepts and rejects the same JSON as JSON.parse, even in skipped values', () => {
    const piece = fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '"b"', '1', '-', '0', '.5', 'e1', 'true', 'null', ' ', '"\\n"')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
        const json = `{"x":${pieces.join('')}}`
        let valid = true
        try {
          JSON.parse(json)
        } catch {
          valid = false
        }
        expect(outcome(Buffer.from(json))).toBe(valid ? 0 : 'refused')
      }),
      { numRuns: sized(20_000, 4000) },
    )
  })
})
