// The child must not outlive its parent, or it would hold the data directory's lock against the next one. A
// pipe from the parent ends with it, however it dies; a thread that does nothing but wait for that end also
// works while the main thread is inside the engine's library.
import { Worker } from 'node:worker_threads'

/** File descriptor of the pipe in the child. */
const lifelineFd = 4

const watch = `
  const { readSync } = require('node:fs')
  try {
    while (readSync(${lifelineFd}, Buffer.alloc(1)) > 0);
  } catch {}
  process.kill(process.pid, 'SIGKILL')
`

/** Ends this process by SIGKILL as soon as the parent is gone. */
export const dieWithParent = (): void => {
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  new Worker(watch, { eval: true, stdout: false, stderr: false }).unref()
}
