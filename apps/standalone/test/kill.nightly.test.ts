import { test } from 'vitest'
import { killRun } from './kill-run.ts'

test(
  '100,000 spans at full speed, standalone killed -9 five times: every acknowledged span is there, raw rows bounded by what was sent again',
  () => killRun(1000, 5),
  900_000,
)
