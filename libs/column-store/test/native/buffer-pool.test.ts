import { expect, test } from 'vitest'
import { createBufferPool, segmentBytes } from '../../src/native/buffer-pool.ts'

test('shared memory comes back as it was, whoever saw it meanwhile, and is no more than the limit', () => {
  const pool = createBufferPool(2 * segmentBytes)
  const taken = [1, 2, 3].map(() => pool.take(segmentBytes))
  expect(taken.map(({ buffer }) => buffer instanceof SharedArrayBuffer)).toEqual([true, true, false])
  for (const { buffer } of taken) pool.give(structuredClone(buffer))
  const again = [1, 2, 3].map(() => pool.take(segmentBytes - 1))
  expect(again.map(({ buffer }) => buffer instanceof SharedArrayBuffer)).toEqual([true, true, false])
  again[0]![0] = 7
  expect(taken.some(([first]) => first === 7)).toBe(true)
})

test('what never comes back is not replaced by more shared memory before it is forgotten; what is larger than a segment is not shared', () => {
  const pool = createBufferPool(2 * segmentBytes)
  expect(pool.take(segmentBytes + 1).buffer).toBeInstanceOf(ArrayBuffer)
  for (let lost = 0; lost < 2; lost++) pool.take(segmentBytes)
  for (let round = 0; round < 3; round++) expect(pool.take(1).buffer).toBeInstanceOf(ArrayBuffer)
  pool.forget(segmentBytes)
  const [again, beyond] = [pool.take(segmentBytes), pool.take(1)]
  expect(again.buffer).toBeInstanceOf(SharedArrayBuffer)
  expect(beyond.buffer).toBeInstanceOf(ArrayBuffer)
})
