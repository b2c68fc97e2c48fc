import { AppError, isAppError } from '@svc-server/errors'
import { createFairTurns } from '@svc-server/fairness/turns'
import type { WorkerPool } from '@svc-server/fairness/worker-pool'
import type { Lease } from '@svc-server/http/bodies'
import { decodedSize } from './decoded-size.ts'
import { BelongsInThread, type ExportJob, type ExportPlan, planExport } from './plan.ts'
import type { WorkerAnswer } from './plan-worker.ts'

export interface PrepareOptions {
  readonly pool: WorkerPool<ExportJob, WorkerAnswer>
  readonly maxDecodedBytes: number
}

/**
 * A body of this decoded size takes the event loop less than a millisecond. A project can have a hundred bodies ready at once, so after
 * each slice of `sliceMs` the event loop does other work. Larger bodies are moved to a thread, which costs 60 µs of CPU per body. The
 * alternative, Node's asynchronous zlib, would cost 100 to 1000 µs per body.
 */
const inlineBytes = { protobuf: 128 * 1024, json: 64 * 1024 } as const
/** Time that the event loop spends on small bodies before it does other work. */
const sliceMs = 2
/**
 * A larger staged body is prepared in a thread. The gateway sorts the spans of a staged body by trace, because a record has spans of only
 * one trace. For a megabyte with ten thousand small traces, sorting takes 100 ms.
 */
const inlineStagedBytes = 32 * 1024
/**
 * Maximum bytes of the rows that the event loop sorts by trace. Even a small body can have large rows and take much CPU time, because the
 * record of each trace contains a copy of the resource, and the gateway compresses every copy.
 */
const inlineSortedRowBytes = 1024 * 1024
const inlineBytesOf = ({ route, format }: Pick<ExportJob, 'route' | 'format'>): number =>
  route === 'staging' ? inlineStagedBytes : inlineBytes[format]

/** Throws `body_undecodable`, `body_too_large`, and the errors of `lease.resize`. */
export function createPrepareStage({ pool, maxDecodedBytes }: PrepareOptions) {
  const turns = createFairTurns({ sliceMs })

  async function plan(job: ExportJob): Promise<ExportPlan> {
    if (job.maxDecodedBytes > inlineBytesOf(job)) return inThread(pool, job)
    try {
      return await turns.run(job.envelope.projectId, () => planExport({ ...job, maxSortedRowBytes: inlineSortedRowBytes }))
    } catch (error) {
      if (error instanceof BelongsInThread) return inThread(pool, job)
      throw error
    }
  }

  return async function prepare(job: Omit<ExportJob, 'maxDecodedBytes'>, lease: Lease): Promise<ExportPlan> {
    const size = decodedSize(job.body, job.compression)
    const expected = Math.min(Math.max(size.bytes, job.body.length), maxDecodedBytes)
    lease.resize(expected)
    try {
      return await plan({ ...job, maxDecodedBytes: expected })
    } catch (error) {
      // The declared size was missing or wrong, for example because the body has several gzip members. The stage therefore retries with the
      // maximum size.
      if (expected === maxDecodedBytes || !isUnderstated(error, job, expected)) throw error
      lease.resize(maxDecodedBytes)
      return await plan({ ...job, maxDecodedBytes })
    }
  }
}

const isUnderstated = (error: unknown, { compression }: Pick<ExportJob, 'compression'>, expected: number): boolean =>
  compression !== 'identity' && isAppError(error) && error.code === 'body_too_large' && error.params['limit'] === expected

/**
 * The thread gets a copy of a compressed body, because the body is needed for a second attempt if its declared size is missing or
 * wrong. An uncompressed body needs no second attempt, so it is moved instead of copied.
 */
async function inThread(pool: PrepareOptions['pool'], job: ExportJob): Promise<ExportPlan> {
  const { buffer, byteLength } = job.body
  const movable = job.compression === 'identity' && buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
  const answer = await pool.run(job, movable ? [buffer] : [], job.envelope.projectId)
  if (answer.ok) return answer.plan
  throw new AppError(answer.code, answer.message, answer.params)
}
