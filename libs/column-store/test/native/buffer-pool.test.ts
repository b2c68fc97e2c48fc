import { expect, test } from 'vitest'
import { createBufferPool, segmentBytes } from '../../src/native/buffer-pool.ts'

test('the pool reuses shared memory after other threads have seen it, and never exceeds its limit', () => {
  const pool = createBufferPool(2 * segmentBytes)
  const taken = [1, 2, 3].map(() => pool.take(segmentBytes))
  expect(taken.map(({ buffer }) => buffer instanceof SharedArrayBuffer)).toEqual([true, true, false])
  for (const { buffer } of taken) pool.give(structuredClone(buffer))
  const again = [1, 2, 3].map(() => pool.take(segmentBytes - 1))
  expect(again.map(({ buffer }) => buffer instanceof SharedArrayBuffer)).toEqual([true, true, false])
  again[0]![0] = 7
  expect(taken.some(([first]) => first === 7)).toBe(true)
})

test('shared memory that is not given back is not replaced until it is forgotten, and buffers larger than a segment are not shared', () => {
  const pool = createBufferPool(2 * segmentBytes)
  expect(pool.take(segmentBytes + 1).buffer).toBeInstanceOf(ArrayBuffer)
  for (let lost = 0; lost < 2; lost++) pool.take(segmentBytes)
  for (let round = 0; round < 3; round++) expect(pool.take(1).buffer).toBeInstanceOf(ArrayBuffer)
  pool.forget(segmentBytes)
  const [again, beyond] = [pool.take(segmentBytes), pool.take(1)]
  expect(again.buffer).toBeInstanceOf(SharedArrayBuffer)
  expect(beyond.buffer).toBeInstanceOf(ArrayBuffer)
})
