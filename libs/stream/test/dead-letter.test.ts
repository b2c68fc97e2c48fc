import { deadLetterReasons } from '@svc-server/errors'
import { expect, test } from 'vitest'
import type { Rejection } from '../src/chunk.ts'
import { createDeadLetters, type DeadLetterItem } from '../src/dead-letter.ts'

const rejection = (offset: number, raw = 'x', more: Partial<Rejection> = {}): Rejection => ({
  offset,
  index: 3,
  stage: 'encode',
  reason: 'record_undecodable',
  message: 'no good',
  owner: 'someone',
  raw: Buffer.from(raw),
  ...more,
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

test('a dead letter names the origin of its item and has the origin as its key', () => {
  const [deadLetter] = deadLetters(lenient)
    .appends({ topic: 'items', partition: 2 }, [rejection(7)])
    .get('dead-letter')!
  expect(deadLetter!.key!.toString()).toBe('items/2')
  const item = JSON.parse(Buffer.from(deadLetter!.value!).toString()) as DeadLetterItem
  expect(item).toMatchObject({
    topic: 'items',
    partition: 2,
    offset: 7,
    index: 3,
    reason: 'record_undecodable',
    owner: 'someone',
    atMs: 42,
    raw: 'x',
  })
})

test('nothing is appended when nothing is rejected', () => {
  expect(deadLetters(lenient).appends({ topic: 'items', partition: 2 }, []).size).toBe(0)
})

test('raw bytes beyond the record limit are cut off, and the dead letter mentions the cut', () => {
  const [deadLetter] = deadLetters(lenient)
    .appends({ topic: 'items', partition: 0 }, [rejection(1, 'x'.repeat(25))])
    .get('dead-letter')!
  const item = JSON.parse(Buffer.from(deadLetter!.value!).toString())
  expect(item.raw).toHaveLength(10)
  expect(item.message).toContain('the first 10 of 25 bytes')
})

function chunks(limit: { windowItems: number; minRejected: number; maxShare: number }) {
  const sink = deadLetters(limit)
  return (items: number, rejected: readonly Rejection[], owners: readonly string[] = ['someone']) => {
    const tally = { items, owners: new Set(owners), rejected }
    sink.admit(tally)
    sink.acknowledged(tally)
  }
}

test('F14 · one bad item among many never halts the partition', () => {
  const chunk = chunks({ windowItems: 10_000, minRejected: 100, maxShare: 0.5 })
  for (let number = 0; number < 100; number++) chunk(10_000, bad(1))
})

test('F15 · too many bad items halt the partition, even when each chunk has only a few', () => {
  const limit = { windowItems: 10_000, minRejected: 100, maxShare: 0.5 }
  expect(() => chunks(limit)(200, bad(150))).toThrow(/150 of the last 200 items/)
  const chunk = chunks(limit)
  expect(() => {
    for (let number = 0; number < 20; number++) chunk(10, bad(10))
  }).toThrow(/100 of the last 100 items/)
})

test('the share is computed over a window, so that many earlier good items do not hide a bad deploy', () => {
  const chunk = chunks({ windowItems: 1_000, minRejected: 100, maxShare: 0.5 })
  for (let number = 0; number < 100; number++) chunk(1_000, [])
  expect(() => {
    for (let number = 0; number < 20; number++) chunk(100, bad(100))
  }).toThrow(/items were rejected/)
})

test('a good chunk is accepted after the limit has tripped, because only a chunk’s own rejections can halt it', () => {
  const chunk = chunks({ windowItems: 1_000, minRejected: 10, maxShare: 0.5 })
  expect(() => chunk(20, bad(20))).toThrow()
  chunk(20, [])
})

test('F49 · a retried chunk has the same outcome as at the first attempt, and its rejections are counted once in the window', () => {
  const sink = deadLetters({ windowItems: 1_000, minRejected: 100, maxShare: 0.2 })
  const tally = { items: 300, owners: new Set(['someone']), rejected: bad(50) }
  for (let attempt = 0; attempt < 50; attempt++) sink.admit(tally)
  sink.acknowledged(tally)
  sink.admit({ ...tally, rejected: bad(49) })
})

const limit = { windowItems: 100_000, minRejected: 100, maxShare: 0.2 }
const projects = (count: number) => Array.from({ length: count }, (_, number) => `project-${number}`)
const allBad = (owners: readonly string[], count: number, reason: Rejection['reason']) =>
  owners.flatMap(owner => Array.from({ length: count }, (_, offset) => rejection(offset, 'x', { owner, reason })))

test.each(Object.entries(deadLetterReasons).filter(([, cause]) => cause === 'client'))(
  'F15 · %s never halts: a client can cause it',
  reason => {
    for (const owners of [projects(1), projects(20)]) {
      const chunk = chunks(limit)
      for (let number = 0; number < 3; number++) chunk(owners.length * 60, allBad(owners, 60, reason as Rejection['reason']), owners)
    }
  },
)

test('F15 · exceptions in every project count as a bad deploy', () => {
  const owners = projects(20)
  expect(() => chunks(limit)(400, allBad(owners, 20, 'exception'), owners)).toThrow(/400 of the last 400 items/)
  expect(() => {
    const chunk = chunks(limit)
    for (const owner of owners) chunk(20, allBad([owner], 20, 'exception'), [owner])
    for (const owner of owners) chunk(20, allBad([owner], 20, 'exception'), [owner])
  }).toThrow(/items were rejected/)
})

test('F15 · exceptions in only some projects, or in the only project, never halt the partition', () => {
  const [only, ...others] = projects(20)
  const alone = chunks(limit)
  for (let number = 0; number < 20; number++) alone(1_000, allBad([only!], 1_000, 'exception'), [only!])
  const chunk = chunks(limit)
  chunk(1, [], [only!])
  for (let number = 0; number < 5; number++) chunk(1_000, allBad(others, 50, 'exception'), others)
})

test('F15 · for a record that is rejected as a whole, all of its items are counted', () => {
  const owners = projects(2)
  const rejected = owners.map((owner, offset) => ({ ...rejection(offset), owner, index: null, reason: 'exception' as const }))
  const tally = { items: 200, owners: new Set(owners), rejected }
  deadLetters(limit).admit(tally)
  expect(() => deadLetters(limit).admit({ ...tally, itemsOf: () => 100 })).toThrow(/200 of the last 200/)
})
