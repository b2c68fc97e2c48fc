// The worker thread that parses bodies, one job at a time. An error that is not a refusal is a defect and ends the thread.
import { type ErrorCode, type ErrorParams, isAppError } from '@svc-server/errors'
import { serveJobs } from '@svc-server/fairness/pool-thread'
import { goBehindOthers } from '@svc-server/fairness/thread-priority'
import { free } from '@svc-server/http/bodies'
import { InvalidBody } from '../validation/invalid-body.ts'
import type { Issue } from '../validation/refusals.ts'
import { type Job, workOn } from './preparations.ts'

export type WorkerAnswer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly issues: readonly Issue[] }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string; readonly params: ErrorParams }

function answer(job: Job): WorkerAnswer {
  try {
    return { ok: true, result: workOn(job) }
  } catch (error) {
    if (error instanceof InvalidBody) return { ok: false, issues: error.issues }
    if (!isAppError(error)) throw error
    return { ok: false, code: error.code, message: error.message, params: error.params }
  } finally {
    if (job.kind === 'body') free(job.body)
  }
}

goBehindOthers('large')

serveJobs((job: Job, port) => port.postMessage(answer(job)))
