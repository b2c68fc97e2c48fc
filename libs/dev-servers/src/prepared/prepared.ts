// Directories that take seconds of a processor to make and are the same for many suites, such as the files of
// a new PostgreSQL: a run makes each once, from the code that it tests, and every suite gets a copy.
import { existsSync } from 'node:fs'
import { cp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFile } from '../lock-file.ts'
import { directoryOfRun } from './config.ts'

/** As long as a hook of a test may take. */
const lockTimeoutMs = 120_000

/**
 * Afterwards `directory` is what `make` makes, and nobody else's. Who gives the same name has to make the
 * same. Outside of a run it is recreated.
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
