import { killRuns } from './kill-run.ts'

killRuns(['one'], { kills: 10, traces: 400 })
