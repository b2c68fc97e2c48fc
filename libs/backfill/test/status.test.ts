import { expect, test } from 'vitest'
import { copiedRatio, copyState, type StepStatus } from '../src/status.ts'

const stepOf = (status: StepStatus['status'], totalRows = 0, ratio = status === 'finished' ? 1 : 0): StepStatus => ({
  ...{ name: status, status, totalRows, ratio, rows: 0, chunks: 0, month: null, failedReason: null },
  ...{ cutoff: null, legacySince: null, rowsPerSecond: null, secondsLeft: null },
})
const done = stepOf('finished', 3)
const empty = stepOf('finished')
const waiting = stepOf('waiting')

test.each([
  ['without steps', [], 'none'],
  ['v3 stored nothing', [empty, empty, empty, empty, waiting], 'none'],
  ['not begun', [waiting, waiting, waiting, waiting, waiting], 'waiting'],
  ['begun without rows so far', [stepOf('running'), waiting, waiting, waiting, waiting], 'waiting'],
  ['in a step', [done, stepOf('running', 3, 0.5), waiting, waiting, waiting], 'running'],
  ['between two steps', [done, done, waiting, waiting, waiting], 'running'],
  ['without a runner', [done, stepOf('interrupted', 3), waiting, waiting, waiting], 'interrupted'],
  ['failed before the first row', [stepOf('failed'), waiting, waiting, waiting, waiting], 'failed'],
  ['copied, with scratch tables left', [done, done, done, done, waiting], 'finished'],
  ['copied', [done, done, done, done, empty], 'finished'],
] as const)('%s: %s', (_, steps, state) => expect(copyState(steps)).toBe(state))

test('the finished share counts the steps that copy rows', () => {
  expect(copiedRatio([done, stepOf('running', 3, 0.5), waiting, waiting, waiting])).toBe(0.375)
  expect(copiedRatio([done, done, done, done, waiting])).toBe(1)
})
