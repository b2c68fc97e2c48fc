import { waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { createRounds } from '../src/lifecycle/rounds.ts'

test('rounds alternate with pauses and never overlap, and stop waits for the last round', async () => {
  let [begun, ended] = [0, 0]
  const rounds = createRounds({
    round: async () => {
      expect(begun++).toBe(ended)
      await new Promise(resolve => setTimeout(resolve, 20))
      ended++
    },
    restMs: 1,
  })
  rounds.start()
  await waitFor(() => begun === 3, { what: 'the third round' })
  await rounds.stop()
  expect([begun, ended]).toEqual([3, 3])
  await new Promise(resolve => setTimeout(resolve, 30))
  expect(begun).toBe(3)
})

test.each([true, false])('the first round starts at once: %s', async isAtOnce => {
  let begun = 0
  const rounds = createRounds({ round: async () => begun++, restMs: 60_000, isAtOnce })
  rounds.start()
  await rounds.stop()
  expect(begun).toBe(isAtOnce ? 1 : 0)
})
