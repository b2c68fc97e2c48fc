// Large bodies and responses are processed in worker threads.
import { AppError } from '@svc-server/errors'
import { createFairTurns } from '@svc-server/fairness/turns'
import { createWorkerPool } from '@svc-server/fairness/worker-pool'
import { InvalidBody } from '../validation/invalid-body.ts'
import type { ItemCheck, Violation } from './item-schemas.ts'
import { type BodyJob, bytesOf, type Job, type RenderJob, workOn } from './preparations.ts'
import type { WorkerAnswer } from './worker.ts'

/** Bytes of the largest body that the event loop parses. Such a body takes a few milliseconds at worst. */
const inlineBytes = 64 * 1024
/** After this time, an iteration of the event loop starts no more small jobs. */
const sliceMs = 2

export interface PayloadWorkers {
  /** Throws InvalidBody, or an AppError. The bytes are transferred, so the caller cannot use them afterwards. */
  parse(job: BodyJob, owner: string): Promise<unknown>
  /** Renders a response as JSON. */
  render(job: RenderJob, owner: string): Promise<string>
  /** Throws InvalidBody for an invalid JSON Schema. */
  check(job: ItemCheck, owner: string): Promise<readonly Violation[]>
  readonly waiting: number
  stop(): Promise<void>
}

const movable = ({ buffer, byteLength }: Uint8Array) => (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [])

function movedOf(job: Job): readonly ArrayBuffer[] {
  if (job.kind === 'body') return movable(job.body)
  return job.kind === 'tree' ? movable(job.tree.columns) : []
}

export function createPayloadWorkers(workers: number): PayloadWorkers {
  const turns = createFairTurns({ sliceMs })
  const pool = createWorkerPool<Job, WorkerAnswer>({
    script: new URL('./worker.ts', import.meta.url),
    size: workers,
    maxPerOwner: Math.max(1, workers - 1),
  })

  async function inThread(job: Job, owner: string) {
    const answer = await pool.run(job, movedOf(job), owner)
    if (answer.ok) return answer.result
    if ('issues' in answer) throw new InvalidBody(answer.issues)
    throw new AppError(answer.code, answer.message, answer.params)
  }

  const work = (job: Job, owner: string) => (bytesOf(job) > inlineBytes ? inThread(job, owner) : turns.run(owner, () => workOn(job)))
  return {
    get waiting() {
      return pool.waiting
    },
    parse: work,
    check: async (job, owner) => (await work(job, owner)) as readonly Violation[],
    render: async (job, owner) => String(await work(job, owner)),
    stop: () => pool.stop(),
  }
}
