import { expect, test } from 'vitest'
import { counted, verbFor } from './index.ts'

test.each([
  [counted(1, 'span'), '1 span'],
  [counted(0, 'span'), '0 spans'],
  [counted(1200, 'dead letter'), '1,200 dead letters'],
  [counted(2, 'entity'), '2 entities'],
  [counted(0.5, 'span'), '0.5 spans'],
  [counted(1, 'copy', 'one'), 'one copy'],
  [verbFor(1, 'waits', 'wait'), 'waits'],
  [verbFor(0, 'waits', 'wait'), 'wait'],
])('%s', (said, expected) => {
  expect(said).toBe(expected)
})
