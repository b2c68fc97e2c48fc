import { expect, test } from 'vitest'
import { createPulse } from './pulse.ts'

const world = () => {
  const questions: PromiseWithResolvers<void>[] = []
  let silences = 0
  const pulse = createPulse({
    intervalMs: 100,
    silenceMs: 300,
    ask() {
      questions.push(Promise.withResolvers<void>())
      return questions.at(-1)!.promise
    },
    onSilent: () => silences++,
  })
  const ticks = (count: number) => {
    for (let n = 0; n < count; n++) pulse.tick()
  }
  return { questions, ticks, silences: () => silences }
}

test('sends one probe at a time, and reports silence once after the allowed time without a response', () => {
  const { questions, ticks, silences } = world()
  ticks(3)
  expect([questions.length, silences()]).toEqual([1, 0])
  ticks(1)
  expect(silences()).toBe(1)
  ticks(10)
  expect([questions.length, silences()]).toEqual([1, 1])
})

test('any response, even a refusal, restarts the allowed time', async () => {
  const { questions, ticks, silences } = world()
  for (let round = 0; round < 5; round++) {
    ticks(3)
    if (round % 2 === 0) questions.at(-1)!.resolve()
    else questions.at(-1)!.reject(new Error('MEMORY_LIMIT_EXCEEDED'))
    await Promise.resolve()
    await Promise.resolve()
  }
  expect([questions.length, silences()]).toEqual([5, 0])
})
