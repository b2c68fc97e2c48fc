import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseIngestionVersion } from './ingestion-version.ts'

const accepted: [header: string | string[] | undefined, value: number | null][] = [
  [undefined, null],
  [[], null],
  ['4', 4],
  ['3', 3],
  ['2', 2],
  ['0', 0],
  ['-1', -1],
  ['-0', 0],
  ['03', 3],
  ['+4', 4],
  ['  4\t', 4],
  [['4'], 4],
  ['4, 4', 4],
  ['4,04', 4],
  [['3', '3'], 3],
]

test.each(accepted)('F32 · %j is parsed as %j', (header, value) => {
  expect(parseIngestionVersion(header)).toStrictEqual({ ok: true, value })
})

const refused: [header: string | string[], named: string][] = [
  ['5', '"5"'],
  ['999999999', '"999999999"'],
  ['4.0', '"4.0"'],
  ['4.5', '"4.5"'],
  ['4abc', '"4abc"'],
  ['v4', '"v4"'],
  ['0x4', '"0x4"'],
  ['1e0', '"1e0"'],
  ['four', '"four"'],
  ['', '""'],
  ['   ', '""'],
  ['NaN', '"NaN"'],
  ['null', '"null"'],
  ['٤', '"٤"'],
  ['- 1', '"- 1"'],
  ['-9999999999', '"-9999999999"'],
  ['3, 4', '"3, 4"'],
  ['4,', '""'],
  [['4', '3'], '"4, 3"'],
  [['4', ''], '""'],
]

test.each(refused)('F32 · %j is rejected with the value in the message', (header, named) => {
  const result = parseIngestionVersion(header)
  expect(result).toMatchObject({ ok: false, message: expect.stringContaining(named) })
  expect(result).toMatchObject({ message: expect.stringContaining('x-svc-ingestion-version') })
})

test('truncates a long value in the message', () => {
  const result = parseIngestionVersion('x'.repeat(10_000))
  expect(result.ok ? 0 : result.message.length).toBeLessThan(200)
})

test('any text yields an integer up to 4 or an error', () => {
  fc.assert(
    fc.property(fc.string(), text => {
      const result = parseIngestionVersion(text)
      if (result.ok) expect(Number.isInteger(result.value) && result.value! <= 4).toBe(true)
      else expect(result.message).toMatch(/^x-svc-ingestion-version /)
    }),
  )
})
