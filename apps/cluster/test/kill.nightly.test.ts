// As kill.test.ts, with as many spans as the promise is made for.
import { killRuns } from './kill-run.ts'

killRuns({ undisturbed: 200_000, killed: 200_000, kills: 5, seed: 4, session: '15s' })
