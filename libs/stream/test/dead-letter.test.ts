import { expect, test } from 'vitest'
import { createDeadLetters, type DeadLetterItem, type Rejection } from '../src/index.ts'

const rejection = (offset: number, raw = 'x'): Rejection => ({
  offset,
  index: 3,
  stage: 'encode',
  reason: 'bad',
  message: 'no good',
  owner: 'someone',
  raw: Buffer.from(raw),
})
const deadLetters = (limit: { windowItems: number; minRejected: number; maxShare: number }) =>
  createDeadLetters({
    topic: 'dead-letter',
    encode: item => Buffer.from(JSON.stringify({ ...item, raw: Buffer.from(item.raw).toString() })),
    maxRawBytes: 10,
    clock: () => 42,
    limit,
  })
const bad = (count: number) => Array.from({ length: count }, (_, offset) => rejection(offset))
const lenient = { windowItems: 1_000, minRejected: 1_000, maxShare: 1 }

test('a dead letter says where its item came from, and is keyed by its source', () => {
  const [letter] = deadLetters(lenient)
    .appends({ topic: 'items', partition: 2 }, [rejection(7)])
    .get('dead-letter')!
  expect(letter!.key!.toString()).toBe('items/2')
  const item = JSON.parse(Buffer.from(letter!.value!).toString()) as DeadLetterItem
  expect(item).toMatchObject({ topic: 'items', partition: 2, offset: 7, index: 3, reason: 'bad', owner: 'someone', atMs: 42, raw: 'x' })
})

test('nothing is appended when nothing is rejected', () => {
  expect(deadLetters(lenient).appends({ topic: 'items', partition: 2 }, []).size).toBe(0)
})

test('raw bytes that no record could hold are cut, and the letter says so', () => {
  const [letter] = deadLetters(lenient)
    .appends({ topic: 'items', partition: 0 }, [rejection(1, 'x'.repeat(25))])
    .get('dead-letter')!
  const item = JSON.parse(Buffer.from(letter!.value!).toString())
  expect(item.raw).toHaveLength(10)
  expect(item.message).toContain('the first 10 of 25 bytes')
})

test('F14 · one bad item among many never halts', () => {
  const { admit } = deadLetters({ windowItems: 10_000, minRejected: 100, maxShare: 0.5 })
  for (let chunk = 0; chunk < 100; chunk++) admit(10_000, bad(1))
})

test('F15 · too many bad items halt, also when they come a few at a time', () => {
  const limit = { windowItems: 10_000, minRejected: 100, maxShare: 0.5 }
  expect(() => deadLetters(limit).admit(200, bad(150))).toThrow(/150 of the last 200 items/)
  const { admit } = deadLetters(limit)
  expect(() => {
    for (let chunk = 0; chunk < 20; chunk++) admit(10, bad(10))
  }).toThrow(/100 of the last 100 items/)
})

test('a share is counted over a window, so an old good run does not hide a bad deploy', () => {
  const { admit } = deadLetters({ windowItems: 1_000, minRejected: 100, maxShare: 0.5 })
  for (let chunk = 0; chunk < 100; chunk++) admit(1_000, [])
  expect(() => {
    for (let chunk = 0; chunk < 20; chunk++) admit(100, bad(100))
  }).toThrow(/items were rejected/)
})

test('a good chunk passes after a trip: the limit judges rejections, not the past', () => {
  const { admit } = deadLetters({ windowItems: 1_000, minRejected: 10, maxShare: 0.5 })
  expect(() => admit(20, bad(20))).toThrow()
  admit(20, [])
})
