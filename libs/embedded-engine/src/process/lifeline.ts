// Ends the child process when its parent ends. A child that outlives its parent would still hold the lock of the data directory when the
// next process starts. A pipe from the parent closes when the parent dies for any reason. A separate thread waits until the pipe closes,
// because the main thread can be busy in the engine's library.
import { Worker } from 'node:worker_threads'

/** File descriptor of the parent's pipe in the child. */
const lifelineFd = 4

const watch = `
  const { readSync } = require('node:fs')
  try {
    while (readSync(${lifelineFd}, Buffer.alloc(1)) > 0);
  } catch {}
  process.kill(process.pid, 'SIGKILL')
`

/** Ends this process with SIGKILL when the parent has ended. */
export const dieWithParent = (): void => {
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  new Worker(watch, { eval: true, stdout: false, stderr: false }).unref()
}
