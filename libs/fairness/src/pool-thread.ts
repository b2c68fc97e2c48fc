// The part of a pool that runs in its threads. The pool ends a thread by a message, because terminating a thread from outside can abort the
// whole process. Node 24 aborts if a thread is terminated while it creates a zlib or zstd engine, which happens when the thread loads its
// modules ("Assertion failed: init_done_ && close before init").
import { parentPort } from 'node:worker_threads'

/** The message that ends a thread; a job is never null. */
export const endOfJobs = null

/** Runs the pool's jobs in order until the pool ends the thread. If `run` throws an error, the thread ends. */
export function serveJobs<Job>(run: (job: Job, port: NonNullable<typeof parentPort>) => void): void {
  const port = parentPort!
  port.on('message', (job: Job | typeof endOfJobs) => {
    if (job === endOfJobs) port.close()
    else run(job, port)
  })
}
