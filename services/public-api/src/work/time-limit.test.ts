import { expect, test } from 'vitest'
import { OutOfTime, withinTime } from './time-limit.ts'

const spent = (...times: readonly number[]) => {
  const left = [...times]
  return () => left.shift()!
}
function endless(times: number) {
  let runs = 0
  return () => {
    if (runs++ < times) for (;;);
    return runs
  }
}

test('work that got too little of a processor begins again once, with more time', () => {
  // The first limit is a minute, because on a busy machine this thread can wait longer for a processor than the work takes.
  expect(withinTime(endless(0), 60_000)).toBe(1)
  expect(withinTime(endless(1), 1_000, spent(0, 4))).toBe(2)
  expect(() => withinTime(endless(2), 10, spent(0, 4))).toThrow(OutOfTime)
})

test('work that used its processor time is aborted, and begins no second time', () => {
  expect(() => withinTime(endless(1), 10, spent(0, 10))).toThrow(OutOfTime)
})

test('errors of the work are thrown unchanged', () => {
  const failing = () => {
    throw new RangeError('deep')
  }
  expect(() => withinTime(failing, 60_000)).toThrow(RangeError)
})
