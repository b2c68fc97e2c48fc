// Builds what is missing, before the suites that need it: its time is not theirs.
import { ensureProgram, type Program, programs } from './programs.ts'

for (const program of Object.keys(programs) as Program[]) {
  const startedAt = performance.now()
  await ensureProgram(program)
  process.stdout.write(`${program}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)
}
