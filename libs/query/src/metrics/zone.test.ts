import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bucketOf, bucketText, type Granularity, nextBucket } from './buckets.ts'
import { utc, zoneOf } from './zone.ts'

const us = (text: string) => BigInt(Date.parse(text)) * 1000n
const [from, to] = [us('2026-01-01T00:00:00Z'), us('2027-01-01T00:00:00Z')]

const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia', 'Africa/Casablanca', 'UTC']
const granularities = ['minute', 'hour', 'day', 'week', 'month'] as const

function chain(granularity: Granularity, zone: string, start: string, end: string): readonly string[] {
  const of = zoneOf(zone, us(start), us(end))
  const texts: string[] = []
  for (let at = bucketOf(granularity, us(start), of); at < bucketOf(granularity, us(end), of); at = nextBucket(granularity, at, of))
    texts.push(bucketText(granularity, at))
  return texts
}

test('days and months follow the calendar of the zone, also when clocks change', () => {
  const anyTime = fc.bigInt({ min: from, max: to - 1n })
  fc.assert(
    fc.property(fc.constantFrom(...zones), anyTime, (name, time) => {
      const zone = zoneOf(name, from, to)
      const local = new Intl.DateTimeFormat('sv-SE', { timeZone: name, dateStyle: 'short' }).format(Number(time / 1000n))
      expect(bucketText('day', bucketOf('day', time, zone))).toBe(local)
      expect(bucketText('month', bucketOf('month', time, zone))).toBe(`${local.slice(0, 7)}-01`)
    }),
  )
})

test('nextBucket reaches the bucket of every later time', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.constantFrom(...granularities),
      fc.constantFrom(
        '2026-03-29T00:00:00Z',
        '2026-10-25T00:00:00Z',
        '2026-04-04T14:00:00Z',
        '2026-10-03T15:00:00Z',
        '2026-11-01T05:00:00Z',
      ),
      fc.integer({ min: 0, max: 4 * 3_600_000 }),
      (name, granularity, start, after) => {
        const zone = zoneOf(name, from, to)
        const end = bucketOf(granularity, us(start) + BigInt(after) * 1000n, zone)
        let at = bucketOf(granularity, us(start), zone)
        while (at < end) {
          const next = nextBucket(granularity, at, zone)
          expect(next).toBeGreaterThan(at)
          at = next
        }
        expect(at).toBe(end)
      },
    ),
  )
})

test('a repeated hour has two buckets, and buckets start at full hours of the clock of the zone', () => {
  expect(chain('hour', 'Europe/Berlin', '2026-10-24T23:30:00Z', '2026-10-25T02:00:00Z')).toEqual([
    '2026-10-24T23:00:00Z',
    '2026-10-25T00:00:00Z',
    '2026-10-25T01:00:00Z',
  ])
  expect(chain('hour', 'Asia/Kolkata', '2026-01-01T00:00:00Z', '2026-01-01T01:30:00Z')).toEqual([
    '2025-12-31T23:30:00Z',
    '2026-01-01T00:30:00Z',
  ])
  expect(chain('day', 'Europe/Berlin', '2026-03-27T23:00:00Z', '2026-03-30T22:00:00Z')).toEqual(['2026-03-28', '2026-03-29', '2026-03-30'])
})

test('a zone without changes has one offset, and an invalid name is rejected', () => {
  expect(zoneOf(undefined, from, to)).toBe(utc)
  expect(zoneOf('Asia/Kolkata', from, to).offsets).toEqual([19_800_000_000n])
  for (const name of ['', '+02:00', 'Europe/Nowhere', 'x'.repeat(1_000)]) {
    expect(() => zoneOf(name, from, to)).toThrow(expect.objectContaining({ name: 'InvalidQuery', kind: 'shape' }))
  }
})
