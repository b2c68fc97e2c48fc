// The directory of what the suites of a run prepare once (prepared.ts): there before the first suite, gone
// with the last.
import { type TemporaryDirectory, temporaryDirectory } from '../temporary-directory.ts'
import { directoryOfRun, tellDirectoryOfRun } from './config.ts'

let directory: TemporaryDirectory | undefined

export async function setup(): Promise<void> {
  // Each project of a run sets up; the first one is for all of them.
  if (directoryOfRun() !== undefined) return
  directory = await temporaryDirectory('svc-prepared-')
  tellDirectoryOfRun(directory.path)
}

export async function teardown(): Promise<void> {
  if (directory === undefined) return
  tellDirectoryOfRun(undefined)
  await directory.remove()
}
