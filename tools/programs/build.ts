// Builds what is missing, before the suites that need it: its time is not theirs. With --nightly also what only the long ones want.
import { ensureProgram, programNames } from './programs.ts'

for (const program of programNames(process.argv.includes('--nightly'))) {
  const startedAt = performance.now()
  await ensureProgram(program)
  process.stdout.write(`${program}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)
}
