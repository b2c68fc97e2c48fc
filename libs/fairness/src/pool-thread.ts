// The side of a pool's thread. Its pool ends it by a message, because ending it from outside can end the whole process: Node aborts when a
// thread is terminated while it creates a zlib or zstd engine, as it does when it loads its modules
// ("Assertion failed: init_done_ && close before init", Node 24).
import { parentPort } from 'node:worker_threads'

/** No job is null. */
export const endOfJobs = null

/** Runs each job of the pool in call order, until the pool ends the thread. An error that `run` throws ends the thread. */
export function serveJobs<Job>(run: (job: Job, port: NonNullable<typeof parentPort>) => void): void {
  const port = parentPort!
  port.on('message', (job: Job | typeof endOfJobs) => {
    if (job === endOfJobs) port.close()
    else run(job, port)
  })
}
