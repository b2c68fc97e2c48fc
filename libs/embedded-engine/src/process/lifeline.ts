// Ends the child when its parent ends, because a child without a parent would keep the lock of the data directory. A pipe from the parent
// closes when the parent dies for any reason. A separate thread waits for the pipe to close, because the main thread can be busy in the
// engine's library.
import { Worker } from 'node:worker_threads'

/** File descriptor of the pipe from the parent, in the child process. */
const lifelineFd = 4

const watch = `
  const { readSync } = require('node:fs')
  try {
    while (readSync(${lifelineFd}, Buffer.alloc(1)) > 0);
  } catch {}
  process.kill(process.pid, 'SIGKILL')
`

export const dieWithParent = (): void => {
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  new Worker(watch, { eval: true, stdout: false, stderr: false }).unref()
}
