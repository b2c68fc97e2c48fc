// Creates a temporary directory for one test. The test deletes the directory at its end.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TemporaryDirectory extends AsyncDisposable {
  readonly path: string
  remove(): Promise<void>
}

/** Use `await using directory = await temporaryDirectory()`, or call `remove`. */
export async function temporaryDirectory(prefix = 'svc-test-'): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(tmpdir(), prefix))
  // The removal is retried, because a process that is about to end can still write files.
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  return { path, remove, [Symbol.asyncDispose]: remove }
}
