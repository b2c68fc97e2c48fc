import { killRuns } from './kill-run.ts'

killRuns(['one', 'two', 'three'], { kills: 15, traces: 400 })
