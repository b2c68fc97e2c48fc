// Keeps threads alive for later services, because starting a thread takes a quarter of a second of CPU time. The tests of a single file can
// start hundreds of services.
import type { Worker } from 'node:worker_threads'

interface Threads {
  start(script: URL, workerData: unknown): Worker
  end(worker: Worker, isIdle: boolean): Promise<unknown>
}

const spares = new Map<string, Worker[]>()
const keys = new WeakMap<Worker, string>()

/**
 * Starts new threads with `fresh`. An idle thread is used again only for the same script, data, and `catalogVersion`, because the thread
 * keeps its catalog.
 */
export const createKeptThreads = (fresh: Threads, catalogVersion = ''): Threads => ({
  start(script, workerData) {
    const key = `${catalogVersion} ${script} ${JSON.stringify(workerData)}`
    const worker = spares.get(key)?.pop() ?? fresh.start(script, workerData)
    worker.removeAllListeners()
    keys.set(worker, key)
    return worker
  },

  async end(worker, isIdle) {
    // A busy thread must end instead of being kept, because it can be stuck or about to fail.
    if (!isIdle) return fresh.end(worker, isIdle)
    const key = keys.get(worker)!
    const kept = spares.get(key) ?? []
    spares.set(key, kept)
    worker.removeAllListeners()
    worker.once('exit', () => kept.splice(kept.indexOf(worker), kept.includes(worker) ? 1 : 0))
    kept.push(worker)
    return undefined
  },
})
