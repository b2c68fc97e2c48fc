// Builds missing programs before the suites start, so that no suite waits for a build. With --nightly, also builds the programs for the
// long suites.
import { ensureProgram, programNames } from './programs.ts'

for (const program of programNames(process.argv.includes('--nightly'))) {
  const startedAt = performance.now()
  await ensureProgram(program)
  process.stdout.write(`${program}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)
}
