import { expect, test } from 'vitest'
import { createStickyPartitioner, murmur2, partitionOfKey, stickyBytes, stickyMs } from '../src/partitioner.ts'

// Test vectors from Kafka's own test of its hash.
test.each([
  ['21', -973932308],
  ['foobar', -790332482],
  ['a-little-bit-long-string', -985981536],
  ['a-little-bit-longer-string', -1486304829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
  ['abc', 479470107],
])('murmur2 of %s', (text, hash) => {
  expect(murmur2(Buffer.from(text))).toBe(hash)
  expect(partitionOfKey(Buffer.from(text), 12)).toBe((hash & 0x7fffffff) % 12)
})

test('records without a key stay on one partition for 24 MB or 2 s', () => {
  let now = 1_000_000
  const choose = createStickyPartitioner({ partitions: 3, clock: () => now })
  expect(choose(stickyBytes - 1)).toBe(0)
  expect(choose(1)).toBe(0)
  expect(choose(1)).toBe(1)
  now += stickyMs - 1
  expect(choose(1)).toBe(1)
  now += 1
  expect(choose(1)).toBe(2)
  now += stickyMs
  expect(choose(1)).toBe(0)
  now -= 3_600_000
  expect(choose(1)).toBe(1)
})
