// Creates the directory for prepared files (prepared.ts), and deletes it after the last suite.
import { type TemporaryDirectory, temporaryDirectory } from '../temporary-directory.ts'
import { directoryOfRun, tellDirectoryOfRun } from './config.ts'

let directory: TemporaryDirectory | undefined

export async function setup(): Promise<void> {
  // Vitest calls this function once per project of a run. Only the first call has an effect.
  if (directoryOfRun() !== undefined) return
  directory = await temporaryDirectory('svc-prepared-')
  tellDirectoryOfRun(directory.path)
}

export async function teardown(): Promise<void> {
  if (directory === undefined) return
  tellDirectoryOfRun(undefined)
  await directory.remove()
}
