import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createDenials, type Denied, denialsOf, frozenDenials, sharedDenials } from '../src/denials.ts'

const id = fc.constantFrom('a', 'b', 'c', 'a/b', '0af7651916cd43dd8448eb211c80319c')
const denied: fc.Arbitrary<Denied> = fc.record({ projectId: id, traceId: fc.option(id, { nil: null }) })
const list = fc.array(denied, { maxLength: 30 })

const isDenied = (all: readonly Denied[], { projectId, traceId }: Denied) =>
  all.some(one => one.projectId === projectId && (one.traceId === null || one.traceId === traceId))

test('a trace is denied exactly if the trace itself or its project was added', () => {
  fc.assert(
    fc.property(list, list, (all, questions) => {
      const growing = createDenials()
      for (const one of all) growing.add(one)
      const each = [growing, sharedDenials(growing.shared), denialsOf(all), frozenDenials(growing)]
      for (const question of questions) {
        for (const denials of each) {
          expect(denials.denies(question.projectId, question.traceId)).toBe(isDenied(all, question))
          expect(denials.concerns(question.projectId)).toBe(all.some(({ projectId }) => projectId === question.projectId))
        }
      }
    }),
  )
})

test('the list of matched entries gives the same results as the original denials', () => {
  fc.assert(
    fc.property(list, list, (all, asked) => {
      const growing = createDenials()
      for (const one of all) growing.add(one)
      const frozen = frozenDenials(growing)
      const answers = asked.map(one => frozen.concerns(one.projectId) && frozen.denies(one.projectId, one.traceId))
      const again = denialsOf(frozen.matched)
      expect(asked.map(one => again.concerns(one.projectId) && again.denies(one.projectId, one.traceId))).toEqual(answers)
      expect(new Set(frozen.matched.map(one => JSON.stringify(one))).size).toBe(frozen.matched.length)
    }),
  )
})

test('an addition while a chunk is encoded does not split a trace', () => {
  const growing = createDenials()
  growing.add({ projectId: 'p', traceId: 'other' })
  const frozen = frozenDenials(growing)
  expect(frozen.denies('p', 't')).toBe(false)
  expect(frozen.concerns('q')).toBe(false)
  growing.add({ projectId: 'p', traceId: 't' })
  growing.add({ projectId: 'q', traceId: null })
  expect([frozen.denies('p', 't'), frozen.concerns('q'), frozen.denies('q', 't')]).toEqual([false, false, false])
  expect(frozenDenials(growing).denies('p', 't')).toBe(true)
})

test('a reader that has the memory from before a growth sees the entries from that time', () => {
  const growing = createDenials()
  growing.add({ projectId: 'p', traceId: 'first' })
  const before = growing.shared
  for (let n = 0; n < 20_000; n++) growing.add({ projectId: 'p', traceId: `t${n}` })
  expect(growing.size).toBe(20_001)
  const now = sharedDenials(growing.shared)
  for (let n = 0; n < 20_000; n += 97) expect(now.denies('p', `t${n}`)).toBe(true)
  expect(now.denies('p', 't20000')).toBe(false)
  expect(sharedDenials(before).denies('p', 'first')).toBe(true)
  // A slot has 16 bytes. The table doubles its size when more than half of the slots would be used. After a growth, more than a quarter of
  // the slots are therefore used, so the table has at most 64 bytes per entry.
  expect(growing.bytes / growing.size).toBeLessThanOrEqual(64)
})
