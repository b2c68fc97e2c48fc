// The child must not outlive its parent: it would keep the data directory's lock from the next process. A pipe from
// the parent ends with it, however it dies. A thread that only waits for that end also works while the main thread is
// inside the engine's library.
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

/** Ends this process by SIGKILL as soon as the parent has ended. */
export const dieWithParent = (): void => {
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  new Worker(watch, { eval: true, stdout: false, stderr: false }).unref()
}
