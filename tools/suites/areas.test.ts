import { expect, test } from 'vitest'
import { areas, overBudget, slownessOf, timesOf } from './areas.ts'

const log = areas.find(({ name }) => name === 'libs/log')!
const recorded = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`tools/${at}.test.ts`, 10]))
const slowed = (times: number) => Object.keys(recorded).map(name => ({ name, seconds: 10 * times }))

test('a suite belongs to one area, and one of a new folder to the last', () => {
  const suites = [1, 3].map(seconds => ({ name: `libs/log/test/${seconds}.test.ts`, seconds }))
  const times = timesOf([...suites, { name: 'libs/new/a.test.ts', seconds: 5 }])
  expect(times.filter(({ seconds }) => seconds > 0).map(({ area, seconds }) => [area.name, seconds])).toEqual([
    ['libs/log', 4],
    ['everything else', 5],
  ])
})

test('an area above its budget is reported with its time and its ten slowest suites', () => {
  const suites = Array.from({ length: 12 }, (_, at) => ({ name: `libs/log/${at}.test.ts`, seconds: log.seconds / 4 + at }))
  const sentences = (times: number) =>
    overBudget(timesOf([...suites, ...slowed(times)], recorded)).filter(said => said.includes('libs/log'))
  expect(sentences(2)).toEqual([])
  const [sentence, ...more] = sentences(1)
  expect(more).toEqual([])
  expect(sentence).toMatch(/^The suites of libs\/log took \d+ s together, but at most \d+ s are allowed on this machine: /)
  expect(sentence!.split('\n').slice(1)).toHaveLength(10)
  expect(sentence!.split('\n')[1]).toMatch(/ libs\/log\/11\.test\.ts$/)
})

test('on a machine where suites take longer than recorded, budgets grow; on a fast one they do not shrink', () => {
  expect(slownessOf(slowed(2.5), recorded)).toBe(2.5)
  expect(slownessOf(slowed(0.5), recorded)).toBe(1)
  // Five slow suites do not show that the machine is slow.
  expect(slownessOf([...slowed(1).slice(5), ...slowed(9).slice(0, 5)], recorded)).toBe(1)
  expect(slownessOf(slowed(2.5).slice(0, 5), recorded)).toBe(1)
})

test('the sum of all budgets is below fourteen minutes with five parallel suites', () => {
  expect(areas.reduce((sum, { seconds }) => sum + seconds, 0)).toBeLessThan(4_200)
})
