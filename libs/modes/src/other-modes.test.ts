import { expect, test } from 'vitest'
import { createOtherModes } from './other-modes.ts'

test('reports the first record of another mode, counts later records of it, and reports the end after a minute without such records', () => {
  const said: string[] = []
  let time = 0
  const modes = createOtherModes({
    ownMode: 'events_only',
    now: () => time,
    onBegin: mode => said.push(`${mode} begins`),
    onEnd: (mode, records) => said.push(`${mode} ends after ${records}`),
  })
  expect([modes.seen(null, 5), modes.seen('events_only', 5), modes.seen('dual', 0)]).toEqual([0, 0, 0])
  expect(said).toEqual([])
  expect(modes.seen('dual', 3)).toBe(3)
  time = 59_999
  modes.check()
  expect(modes.seen('dual', 4)).toBe(4)
  time = 100_000
  modes.check()
  expect(said).toEqual(['dual begins'])
  time = 119_999
  modes.check()
  modes.check()
  expect(said).toEqual(['dual begins', 'dual ends after 7'])
  modes.seen('dual', 1)
  expect(said.at(-1)).toBe('dual begins')
})
