// See zombie-run.ts. Frozen until its session is over and its work is done by the other writer, which takes about 20 seconds.
import { test } from 'vitest'
import { zombieRun } from './zombie-run.ts'

test(
  'F20 · SIGSTOP of a writer beyond its session, then SIGCONT: it drops what is no longer its own, nothing twice',
  () => zombieRun(40_000, 0),
  300_000,
)
