// The code that runs in a thread of a pool. The pool sends a message to end the thread, because terminating it from outside can abort the
// whole process. Node aborts when a thread is terminated while it creates a zlib or zstd engine, which it does when it loads its modules
// ("Assertion failed: init_done_ && close before init", Node 24).
import { parentPort } from 'node:worker_threads'

/** The message that ends a thread. A job is never null. */
export const endOfJobs = null

/** Runs the jobs that the pool sends, in order, until the pool ends the thread. An error that `run` throws ends the thread. */
export function serveJobs<Job>(run: (job: Job, port: NonNullable<typeof parentPort>) => void): void {
  const port = parentPort!
  port.on('message', (job: Job | typeof endOfJobs) => {
    if (job === endOfJobs) port.close()
    else run(job, port)
  })
}
