// Each message of the test names a directory and a time. At this time, the process tries to take the lock of the directory, and then
// reports whether it got the lock.
import { isAppError } from '@svc-server/errors'
import { lockDirectory } from '../../src/embedded/directory-lock.ts'

process.on('message', ({ directory, atMs }: { directory: string; atMs: number }) => {
  while (Date.now() < atMs);
  try {
    lockDirectory(directory, 'The event log')
    process.send!('taken')
  } catch (error) {
    process.send!(isAppError(error) ? error.code : String(error))
  }
})
process.send!('ready')
