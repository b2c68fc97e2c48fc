import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBufferPool } from '../../src/native/buffer-pool.ts'
import { ByteWriter } from '../../src/native/byte-writer.ts'
import { longestDecimal, writeDecimal } from '../../src/native/decimal.ts'

const target = Buffer.alloc(longestDecimal + 2)
const textOf = (value: number) => target.toString('latin1', 2, writeDecimal(target, 2, value))

const shortDecimal = fc.tuple(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), fc.nat(12)).map(([units, behind]) => units / 10 ** behind)

test('a number is written exactly as JavaScript formats it', () => {
  const edges = [
    0,
    -0,
    1e-6,
    1e-7,
    5e-7,
    0.1 + 0.2,
    1e15,
    1e15 - 1,
    1e15 + 1,
    999999999.999999,
    2 ** 53,
    1e20,
    1e21,
    1.5e15,
    Number.NaN,
    1 / 0,
  ]
  for (const value of [...edges, -0.0000012345678901234567])
    for (const signed of [value, -value]) expect(textOf(signed)).toBe(String(signed))
  fc.assert(
    fc.property(fc.oneof(fc.double(), fc.integer(), fc.maxSafeInteger(), shortDecimal), value => textOf(value) === String(value)),
    { numRuns: 20_000 },
  )
})

test('a String value begins with its length', () => {
  const out = new ByteWriter(createBufferPool(0), { contiguous: true })
  const values = Array.from({ length: 1000 }, (_, i) => i * -0.37)
  for (const value of values) out.decimalText(value)
  expect(Buffer.from(out.bytes.subarray(0, out.length)).toString('latin1')).toBe(
    values.map(value => String.fromCharCode(String(value).length) + String(value)).join(''),
  )
})
