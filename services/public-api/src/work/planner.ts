// Where bodies and answers are worked on: small ones in the event loop, by turns between projects; large ones in threads.
import { AppError } from '@svc-server/errors'
import { createFairTurns } from '@svc-server/stream/fair-turns'
import { createWorkerPool } from '@svc-server/stream/worker-pool'
import { InvalidBody } from '../events/invalid-body.ts'
import { bytesOf, type Job, type PlanOf, planJob } from './plan.ts'
import type { WorkerAnswer } from './worker.ts'

/** Bytes of what takes a few milliseconds at worst. */
const inlineBytes = 64 * 1024
/** Of these in one turn of the loop. */
const sliceMs = 2

export interface Planner {
  /** Throws InvalidBody, or an AppError. The body is gone afterwards. */
  plan<J extends Job>(job: J, projectId: string): Promise<PlanOf<J>>
  readonly waiting: number
  stop(): Promise<void>
}

const movable = ({ buffer, byteLength }: Uint8Array) => (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [])

export function createPlanner(workers: number): Planner {
  const turns = createFairTurns({ sliceMs })
  const pool = createWorkerPool<Job, WorkerAnswer>({
    script: new URL('./worker.ts', import.meta.url),
    size: workers,
    maxPerOwner: Math.max(1, workers - 1),
  })

  async function inThread(job: Job, projectId: string) {
    const answer = await pool.run(job, job.kind === 'page' ? [] : movable(job.body), projectId)
    if (answer.ok) return answer.plan
    if ('issues' in answer) throw new InvalidBody(answer.issues)
    throw new AppError(answer.code, answer.message, answer.params)
  }

  return {
    get waiting() {
      return pool.waiting
    },
    async plan<J extends Job>(job: J, projectId: string) {
      const planned = bytesOf(job) > inlineBytes ? inThread(job, projectId) : turns.run(projectId, () => planJob(job))
      return (await planned) as PlanOf<J>
    },
    stop: () => pool.stop(),
  }
}
