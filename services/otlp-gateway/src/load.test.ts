import { expect, test } from 'vitest'
import { loadOf } from './load.ts'

test('row bytes and counted bytes add to the load', () => {
  expect(loadOf({ work: 10, rowBytes: 0, countedBytes: 0 })).toBe(10)
  expect(loadOf({ work: 0, rowBytes: 1024 * 1024, countedBytes: 0 })).toBe(65_536)
  expect(loadOf({ work: 0, rowBytes: 0, countedBytes: 400 })).toBe(100)
})
