import { packValues, unpackValues } from '@svc-server/owner/packed-values'
import type { TraceCandidate } from '@svc-server/schema/trace-candidates'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { flattenReadings, type RecordReading, unflattenReadings } from './messages.ts'

const text = fc.string({ unit: 'grapheme' })
const candidate: fc.Arbitrary<TraceCandidate> = fc.record({
  field: fc.constantFrom('name', 'userId', 'sessionId', 'release', 'version', 'environment', 'public'),
  root: fc.boolean(),
  explicit: fc.boolean(),
  startNs: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  spanId: fc.constantFrom('00f067aa0ba902b7', 'ffffffffffffffff'),
  value: text,
})
const reading: fc.Arbitrary<RecordReading> = fc.oneof(
  fc.record({
    ok: fc.constant(true as const),
    spans: fc.nat(),
    cut: fc.nat(),
    candidates: fc.record({ winners: fc.array(candidate), tags: fc.array(text), rootSeen: fc.boolean() }),
  }),
  fc.record({
    ok: fc.constant(false as const),
    reason: fc.constantFrom('record_undecodable' as const, 'exception' as const),
    message: text,
    projectId: fc.option(text),
  }),
)

test('readings pass between threads unchanged', () => {
  fc.assert(
    fc.property(fc.array(reading), readings => {
      expect(unflattenReadings(structuredClone(flattenReadings(readings)))).toEqual(readings)
    }),
  )
})

test('values pass between threads unchanged, whatever the buffer held before', () => {
  const values = fc.array(fc.uint8Array({ maxLength: 100 }), { maxLength: 20 })
  fc.assert(
    fc.property(values, values, (before, after) => {
      const packed = packValues(after, packValues(before, undefined).buffer)
      expect(unpackValues(packed)).toEqual(after)
    }),
  )
})

test('a buffer that is too small or far too large is not reused', () => {
  const megabyte = 1024 * 1024
  const small = packValues([new Uint8Array(1)], undefined).buffer
  const large = packValues([new Uint8Array(4 * megabyte)], small).buffer
  expect(large).not.toBe(small)
  expect(packValues([new Uint8Array(2 * megabyte)], large).buffer).toBe(large)
  expect(packValues([new Uint8Array(1)], large).buffer.byteLength).toBeLessThan(megabyte)
})
