// Shares directories whose creation takes seconds of CPU time and which are the same in many suites, for example the files of a new
// PostgreSQL database. Each directory is created only once in a run, from the code under test, and every suite gets a copy.
import { existsSync } from 'node:fs'
import { cp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFile } from '../lock-file.ts'
import { directoryOfRun } from './config.ts'

/** Equal to the time limit of a hook in a test. */
const lockTimeoutMs = 120_000

/**
 * Fills `directory` with copies of the files that `make` creates. The caller can change its copies. All callers with the same `name` must
 * create the same contents. Outside a run, `make` is called every time.
 */
export async function preparedDirectory(
  name: string,
  directory: string,
  make: (directory: string) => Promise<void>,
  shared = directoryOfRun(),
): Promise<void> {
  if (shared === undefined) return make(directory)
  const model = join(shared, name)
  const release = await lockFile(`${model}.lock`, lockTimeoutMs)
  try {
    if (!existsSync(model)) {
      const unfinished = `${model}.unfinished`
      await rm(unfinished, { recursive: true, force: true })
      await make(unfinished)
      await rename(unfinished, model)
    }
  } finally {
    release()
  }
  await cp(model, directory, { recursive: true, preserveTimestamps: true })
}
