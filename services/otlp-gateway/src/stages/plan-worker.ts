// The worker thread of `prepare`. Buffers are moved instead of copied.
import { type ErrorCode, type ErrorParams, isAppError } from '@svc-server/errors'
import { serveJobs } from '@svc-server/fairness/pool-thread'
import { goBehindOthers } from '@svc-server/fairness/thread-priority'
import { free } from '@svc-server/http/bodies'
import { type ExportJob, type ExportPlan, planExport } from './plan.ts'

export type WorkerAnswer =
  | { readonly ok: true; readonly plan: ExportPlan }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string; readonly params: ErrorParams }

const answer = (job: ExportJob): WorkerAnswer => {
  try {
    return { ok: true, plan: planExport(job) }
  } catch (error) {
    if (!isAppError(error)) throw error
    return { ok: false, code: error.code, message: error.message, params: error.params }
  } finally {
    free(job.body)
  }
}

/** Returns the buffers that can be moved to the main thread. Small records are in Node's shared pool, which must not be moved. */
const movable = (result: WorkerAnswer): ArrayBuffer[] => {
  if (!result.ok) return []
  const buffers = new Set(result.plan.records.map(({ value }) => value.buffer as ArrayBuffer))
  return [...buffers].filter(buffer => buffer.byteLength !== Buffer.poolSize)
}

// Lowers the thread's priority, so that the event loop's small requests do not wait for a large one.
goBehindOthers('large')

serveJobs((job: ExportJob, port) => {
  const result = answer(job)
  port.postMessage(result, movable(result))
})
