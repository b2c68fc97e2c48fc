// Explains a span in a separate thread. Creating the mapping and its catalog would block the event loop for a third of a second.
import { Worker } from 'node:worker_threads'
import type { ExplainedRequest } from '@svc-server/observations/block/explain'
import type { ExplainJob } from './explain-job.ts'

/** Rejects with the signal's reason, or with the error that ended the thread. */
export function explainInThread(job: ExplainJob, signal: AbortSignal | undefined): Promise<ExplainedRequest> {
  signal?.throwIfAborted()
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./explain-worker.ts', import.meta.url), { workerData: job })
    const leave = () => {
      reject(signal?.reason)
      void worker.terminate()
    }
    signal?.addEventListener('abort', leave, { once: true })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', code => {
      signal?.removeEventListener('abort', leave)
      reject(new Error(`The thread ended with code ${code}, before it had explained the span.`))
    })
  })
}
