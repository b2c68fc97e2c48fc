// Creates the directory for the files that a run prepares once (prepared.ts) before the first suite, and deletes it after the last suite.
import { type TemporaryDirectory, temporaryDirectory } from '../temporary-directory.ts'
import { directoryOfRun, tellDirectoryOfRun } from './config.ts'

let directory: TemporaryDirectory | undefined

export async function setup(): Promise<void> {
  // Vitest calls this setup for each project of a run. Only the first call does the work.
  if (directoryOfRun() !== undefined) return
  directory = await temporaryDirectory('svc-prepared-')
  tellDirectoryOfRun(directory.path)
}

export async function teardown(): Promise<void> {
  if (directory === undefined) return
  tellDirectoryOfRun(undefined)
  await directory.remove()
}
