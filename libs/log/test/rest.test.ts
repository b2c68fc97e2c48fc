import { expect, test } from 'vitest'
import type { GroupLag } from '../src/port.ts'
import { createRestWatch, findBehind } from '../src/rest.ts'

/** Returns the lag of two stages. The stage `first` reads `staging` and writes to `filled`. The stage `second` reads `filled`. */
const lagsOf = (first: [committed: number, high: number], second: [committed: number, high: number]): readonly GroupLag[] =>
  (
    [
      ['first', 'staging', first],
      ['second', 'filled', second],
    ] as const
  ).map(([group, topic, [committed, high]]) => ({ group, topic, partition: 0, committed, lagRecords: high - committed, lagMs: 0 }))

test('the pipeline is not idle if a stage is done but the state of the next topic is outdated', () => {
  const watch = createRestWatch(() => true)
  expect(watch(lagsOf([4, 5], [4, 4])).atRest).toBe(false)
  // `lag` read the ends of both topics. Then the group named `first` advanced. Then `lag` read the offset of this group.
  expect(watch(lagsOf([5, 5], [4, 4]))).toEqual({ behind: [], atRest: false })
  expect(watch(lagsOf([5, 5], [4, 5]))).toMatchObject({ behind: [{ group: 'second', lagRecords: 1 }], atRest: false })
  expect(watch(lagsOf([5, 5], [5, 5])).atRest).toBe(false)
  expect(watch(lagsOf([5, 5], [5, 5])).atRest).toBe(true)
})

test('the pipeline never counts as idle while records are in flight, for any progress of two stages between two readings', () => {
  // `lag` first reads the ends of the topics, and then the offsets. The stages advance at random between the two reads.
  for (let seed = 0; seed < 2_000; seed++) {
    let state = seed * 2_654_435_761 + 1
    const random = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return (state >>> 8) % below
    }
    const high = [3, 0]
    const committed = [0, 0]
    const step = () => {
      for (let count = random(3); count > 0; count--) {
        const stage = random(2)
        if (committed[stage]! === high[stage]!) continue
        committed[stage]! += 1
        if (stage === 0) high[1]! += 1
      }
    }
    const watch = createRestWatch(() => true)
    for (let reading = 0; reading < 12; reading++) {
      const read = (of: readonly number[]) =>
        [0, 1].map(stage => {
          step()
          return of[stage]!
        })
      const [ends, offsets] = [read(high), read(committed)]
      const lag = (stage: number): [number, number] => [offsets[stage]!, Math.max(offsets[stage]!, ends[stage]!)]
      if (watch(lagsOf(lag(0), lag(1))).atRest) expect([seed, committed]).toEqual([seed, high])
    }
  }
})

test('waiting records are reported immediately, and an idle log is queried twice', async () => {
  let asked = 0
  const answering = (answers: readonly (readonly GroupLag[])[]) => ({ lag: async () => answers[Math.min(asked++, answers.length - 1)]! })
  expect(await findBehind(answering([lagsOf([1, 3], [0, 0])]), () => true)).toMatchObject({ behind: [{ lagRecords: 2 }], moving: false })
  asked = 0
  expect(await findBehind(answering([lagsOf([3, 3], [0, 0]), lagsOf([3, 3], [1, 3])]), () => true)).toMatchObject({
    behind: [{ group: 'second', lagRecords: 2 }],
  })
  asked = 0
  expect(await findBehind(answering([lagsOf([3, 3], [3, 3])]), () => true)).toEqual({ behind: [], moving: false })
  expect(asked).toBe(2)
})
