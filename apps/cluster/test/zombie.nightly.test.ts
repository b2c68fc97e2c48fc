// Runs zombie-run.ts with 100,000 spans. Shorter suites test expired sessions and refused commits separately:
// libs/log/test/kafka/groups.test.ts, libs/stream/test/runner.test.ts and services/staging-propagator/test/kill-kafka.test.ts.
import { test } from 'vitest'
import { zombieRun } from './zombie-run.ts'

test(
  'F20 · SIGSTOP of a writer for 60 s, then SIGCONT: it is refused its commit and drops the chunk, nothing twice',
  () => zombieRun(100_000, 60_000),
  600_000,
)
