// Threads that outlive their writers. Starting a thread takes a quarter of a second of CPU, and the tests of a file start up to hundreds of
// writers with two or three threads each. `encode.test.ts` covers the start and death of threads.
import type { Worker } from 'node:worker_threads'
import { freshThreads, type ThreadSource } from '@svc-server/fairness/worker-pool'

const spares = new Map<string, Worker[]>()
/** The script and its data determine a thread's results, except for the catalog of its writer. */
const keyOf = (script: URL, workerData: unknown) => `${script} ${JSON.stringify(workerData)}`
const keys = new WeakMap<Worker, string>()

/** For writers without a catalog, because a thread keeps the catalog that it received. */
export const keptThreads: ThreadSource = {
  start(script, workerData) {
    const key = keyOf(script, workerData)
    const worker = spares.get(key)?.pop() ?? freshThreads.start(script, workerData)
    worker.removeAllListeners()
    keys.set(worker, key)
    return worker
  },

  async end(worker, isIdle) {
    // A busy thread may be stuck, or about to die of its job.
    if (!isIdle) return freshThreads.end(worker, isIdle)
    const key = keys.get(worker)!
    const kept = spares.get(key) ?? []
    spares.set(key, kept)
    worker.removeAllListeners()
    worker.once('exit', () => kept.splice(kept.indexOf(worker), kept.includes(worker) ? 1 : 0))
    kept.push(worker)
    return undefined
  },
}
