// See zombie-run.ts. Frozen until its session of six seconds is over and its work is done by the other
// writer.
import { test } from 'vitest'
import { zombieRun } from './zombie-run.ts'

test(
  'F20 · SIGSTOP of a writer beyond its session, then SIGCONT: it is refused its commit and drops the chunk, nothing twice',
  () => zombieRun(6_000, 0),
  300_000,
)
