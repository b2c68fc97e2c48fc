// Shares directories that are slow to create, such as the files of a new PostgreSQL database. A run creates each directory once, with the
// code under test, and every suite gets a copy.
import { existsSync } from 'node:fs'
import { cp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFile } from '../lock-file.ts'
import { directoryOfRun } from './config.ts'

/** Maximum wait for the lock. It is shorter than the time limit of a test hook. */
const lockTimeoutMs = 120_000

/**
 * Fills `directory` with copies of the files that `make` creates. All callers with this `name` must create equal contents. Outside a test
 * run, `make` is called every time.
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
