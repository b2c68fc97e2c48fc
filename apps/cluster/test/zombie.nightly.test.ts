// See zombie-run.ts. What it is made of is asked in every run: that brokers refuse a process that wakes up after its session
// (libs/log/test/kafka/groups.test.ts), that a runner whose commit is refused drops its chunk (libs/stream/test/runner.test.ts), and both
// together of two propagators (services/staging-propagator/test/kill-kafka.test.ts).
import { test } from 'vitest'
import { zombieRun } from './zombie-run.ts'

test(
  'F20 · SIGSTOP of a writer for 60 s, then SIGCONT: it is refused its commit and drops the chunk, nothing twice',
  () => zombieRun(100_000, 60_000),
  600_000,
)
