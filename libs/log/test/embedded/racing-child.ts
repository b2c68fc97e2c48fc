// Takes the lock of each directory that it is told of, at the time that it is told, and says what came of it.
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
