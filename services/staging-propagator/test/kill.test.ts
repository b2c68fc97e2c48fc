import { killRuns } from './kill-run.ts'

killRuns(['one'], { kills: 5, traces: 250 })
