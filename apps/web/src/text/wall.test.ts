// Converts times to the local clock of a zone and back, also around daylight saving changes.
import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { edgesOf, momentOf, wallOf } from './wall.ts'
import * as zones from './zone.ts'

afterEach(() => void vi.restoreAllMocks())

const names = ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Africa/Cairo']
const times = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2030, 0, 1) })

test.each(names)('a time in %s converts to the wall clock and back', zone => {
  fc.assert(
    fc.property(times, ms => {
      const wall = wallOf(ms, zone)
      // When a clock is set back, it shows one hour twice. Two different times then have the same display, so the test compares the
      // displays.
      expect(wallOf(momentOf(wall, zone), zone)).toBe(wall)
      expect(Math.abs(momentOf(wall, zone) - ms)).toBeLessThanOrEqual(3_600_000)
    }),
    { numRuns: 200 },
  )
})

const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16)

test('zones are ahead of and behind UTC', () => {
  const noon = Date.UTC(2026, 10, 29, 12)
  expect(iso(wallOf(noon, 'Pacific/Kiritimati'))).toBe('2026-11-30T02:00')
  expect(iso(wallOf(noon, 'Pacific/Pago_Pago'))).toBe('2026-11-29T01:00')
  expect(iso(momentOf(Date.UTC(2026, 10, 30), 'Pacific/Kiritimati'))).toBe('2026-11-29T10:00')
})

test('a time that the clock skips becomes the moment of the change', () => {
  expect(iso(momentOf(Date.UTC(2026, 2, 29, 2, 30), 'Europe/Berlin'))).toBe('2026-03-29T01:00')
  // In Cairo, a clock change can skip midnight.
  expect(iso(momentOf(Date.UTC(2026, 3, 24), 'Africa/Cairo'))).toBe('2026-04-23T22:00')
})

test('a day begins at midnight, even if the day before has 25 hours', () => {
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue({
    timeZone: 'Europe/Berlin',
  } as Intl.ResolvedDateTimeFormatOptions)
  expect(zones.zoneName()).toBe('Europe/Berlin')
  const edges = edgesOf(Date.UTC(2026, 9, 24, 12), Date.UTC(2026, 9, 26, 12), 86_400_000)
  expect(edges.map(({ ms }) => iso(ms))).toEqual(['2026-10-23T22:00', '2026-10-24T22:00', '2026-10-25T23:00', '2026-10-26T23:00'])
  const hours = edgesOf(Date.UTC(2026, 9, 25, 0, 30), Date.UTC(2026, 9, 25, 2), 3_600_000)
  expect(hours.map(({ ms }) => iso(ms))).toEqual(['2026-10-25T00:00', '2026-10-25T01:00', '2026-10-25T02:00'])
})
