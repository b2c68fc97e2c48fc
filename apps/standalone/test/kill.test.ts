// See kill-run.ts; as many spans as the promise is made for: kill.nightly.test.ts.
import { test } from 'vitest'
import { killRun } from './kill-run.ts'

test(
  '40,000 spans at full speed, standalone killed -9 five times: every acknowledged span is there, raw rows bounded by what was sent again',
  () => killRun(400),
  300_000,
)
