// These tests use the embedded log. `kill-kafka.test.ts` kills processes that use a real broker.
import { killRuns } from './kill-run.ts'

killRuns(['one', 'two', 'three', 'a', 'b', 'c', 'd', 'e', 'f'], { kills: 60, traces: 1_600 })
