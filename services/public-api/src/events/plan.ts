// What a body becomes, by what it was sent for. Pure, so that a thread can do it: a large body would hold the
// event loop up.
import { type BatchJob, planBatch } from './batch.ts'
import type { EventOutcome } from './event.ts'
import { planScores, type ScoreJob, type ScorePlan } from './score-batch.ts'
import { planWrite, type WriteJob, type WritePlan } from './single-write.ts'

interface Plans {
  readonly batch: readonly EventOutcome[]
  readonly scores: ScorePlan
  readonly write: WritePlan
}

export type Job = BatchJob | ScoreJob | WriteJob
export type PlanOf<J extends Job> = Plans[J['kind']]
export type Plan = PlanOf<Job>

/** Throws InvalidBody, or an AppError. */
export function planJob(job: Job): Plan {
  switch (job.kind) {
    case 'batch':
      return planBatch(job)
    case 'scores':
      return planScores(job)
    case 'write':
      return planWrite(job)
  }
}
