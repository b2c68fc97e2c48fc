import { killRuns } from './kill-run.ts'

killRuns(['one', 'two'], { kills: 10, traces: 400 })
