// The part of a pool that runs in its threads. The pool ends a thread by sending the message `endOfJobs`, because terminating a thread from
// outside can abort the whole process. Node 24 aborts ("Assertion failed: init_done_ && close before init") if the thread is creating a
// zlib or zstd engine. A thread creates such engines while it loads its modules, so terminating a starting thread can cause this abort.
import { parentPort } from 'node:worker_threads'

/** A job is never null. */
export const endOfJobs = null

/** Runs jobs in order until the pool ends the thread. An error of `run` also ends the thread. */
export function serveJobs<Job>(run: (job: Job, port: NonNullable<typeof parentPort>) => void): void {
  const port = parentPort!
  port.on('message', (job: Job | typeof endOfJobs) => {
    if (job === endOfJobs) port.close()
    else run(job, port)
  })
}
