// Threads that outlive their writers: one takes a quarter of a second of a processor to come up, and the tests of a file have up to
// hundreds of writers, each with two or three. How threads start, and die, is for `encode.test.ts`.
import type { Worker } from 'node:worker_threads'
import { freshThreads, type ThreadSource } from '@svc-server/fairness/worker-pool'

const spares = new Map<string, Worker[]>()
/** The same script with the same data: nothing else decides what a thread answers, but for the catalogue of its writer. */
const keyOf = (script: URL, workerData: unknown) => `${script} ${JSON.stringify(workerData)}`
const keys = new WeakMap<Worker, string>()

/** For writers without a catalogue: a thread remembers the one that it was given. */
export const keptThreads: ThreadSource = {
  start(script, workerData) {
    const key = keyOf(script, workerData)
    const worker = spares.get(key)?.pop() ?? freshThreads.start(script, workerData)
    worker.removeAllListeners()
    keys.set(worker, key)
    return worker
  },

  async end(worker, isIdle) {
    // One at work may be stuck, or about to die of its job.
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
