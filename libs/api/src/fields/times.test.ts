import fc from 'fast-check'
import { expect, test } from 'vitest'
import { microsOf } from './times.ts'

test.each([
  ['2026-11-22T10:00:00Z', Date.UTC(2026, 10, 22, 10) * 1000],
  ['2026-11-22t10:00:00.5z', Date.UTC(2026, 10, 22, 10, 0, 0, 500) * 1000],
  ['2026-11-22 10:00:00.123456+00:00', Date.UTC(2026, 10, 22, 10, 0, 0, 123) * 1000 + 456],
  ['2026-11-22T10:00:00.123456789Z', Date.UTC(2026, 10, 22, 10, 0, 0, 123) * 1000 + 456],
  ['2026-11-22T12:30:00+02:30', Date.UTC(2026, 10, 22, 10) * 1000],
  ['2026-11-22T09:00:00-0100', Date.UTC(2026, 10, 22, 10) * 1000],
  ['2026-11-22T10:00Z', Date.UTC(2026, 10, 22, 10) * 1000],
  ['1969-12-31T23:59:59.999999Z', -1],
])('%s', (text, micros) => {
  expect(microsOf(text)).toBe(micros)
})

test.each([
  ...['', 'now', '2026-11-22', '2026-11-22T10:00:00', '2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-01T24:00:00Z'],
  ...['2026-01-01T00:00:60Z', '2026-01-01T00:00:00+24:00', '1899-12-31T23:59:59Z', '2300-01-01T00:00:00Z', '0000-01-01T00:00:00Z'],
])('%s is not a valid time', text => {
  expect(microsOf(text)).toBe(undefined)
})

test('reads every time that Date writes, with any further digits after the milliseconds', () => {
  const range = { min: new Date('1900-01-01T00:00:00Z'), max: new Date('2299-12-30T00:00:00Z'), noInvalidDate: true }
  fc.assert(
    fc.property(fc.date(range), fc.integer({ min: 0, max: 999 }), (date, micros) => {
      const text = `${date.toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`
      expect(microsOf(text)).toBe(date.getTime() * 1000 + micros)
    }),
  )
})
