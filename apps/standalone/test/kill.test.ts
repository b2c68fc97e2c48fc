import { test } from 'vitest'
import { killRun } from './kill-run.ts'

test(
  '4,000 spans at full speed, standalone killed -9: every acknowledged span is there, raw rows bounded by what was sent again',
  () => killRun(40, 1),
  300_000,
)
