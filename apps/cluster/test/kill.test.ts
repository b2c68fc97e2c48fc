// Answered with 200 means stored, once, whatever becomes of the writers. kill.nightly.test.ts does the same
// with 200,000 spans and five kills, and sessions as long as they are by default.
import { killRuns } from './kill-run.ts'

killRuns({ undisturbed: 4_000, killed: 12_000, kills: 2, seed: 4, session: '6s' })
