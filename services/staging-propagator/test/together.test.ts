import { expect, test } from 'vitest'
import { startedTogether } from '../src/together.ts'

function processor(name: string, happened: string[], failure?: Error) {
  return {
    start: async () => void happened.push(`${name} starts`),
    async drain() {
      happened.push(`${name} drains`)
      await Promise.resolve()
      happened.push(`${name} drained`)
      if (failure !== undefined) throw failure
    },
  }
}

test('started one after the other, drained side by side, each whatever becomes of the other', async () => {
  const happened: string[] = []
  const failure = new Error('the disk is full')
  const both = startedTogether(processor('a', happened, failure), processor('b', happened))
  await both.start()
  await expect(both.drain()).rejects.toBe(failure)
  expect(happened).toEqual(['a starts', 'b starts', 'a drains', 'b drains', 'a drained', 'b drained'])
})
