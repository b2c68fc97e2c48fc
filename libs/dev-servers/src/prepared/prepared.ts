// Some directories are slow to create, such as the data directory of a new PostgreSQL database. In each test run, the code under test
// creates each such directory once. Every suite that needs the directory then gets its own copy.
import { existsSync } from 'node:fs'
import { cp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFile } from '../lock-file.ts'
import { directoryOfRun } from './config.ts'

/** Maximum time to wait for the lock. It must be shorter than the time limit of a test hook. */
const lockTimeoutMs = 120_000

/**
 * Fills `directory` with a copy of the files that `make` creates. All callers with the same `name` must create the same files. Outside a
 * test run, each call runs `make`.
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
