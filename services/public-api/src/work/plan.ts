// What a body becomes, by what it was sent for, and what rows become that somebody reads. Pure, so that a thread can do it: what is large would hold
// the event loop up.
import { type BatchJob, planBatch } from '../events/batch.ts'
import type { EventOutcome } from '../events/event.ts'
import { planScores, type ScoreJob, type ScorePlan } from '../events/score-batch.ts'
import { planWrite, type WriteJob, type WritePlan } from '../events/single-write.ts'
import { bytesOfPage, type PageJob, pageText } from '../scores/view.ts'
import { type EntityJob, type ProjectPlan, planDeletion, planProject, planRunItem, type RunItemPlan } from './entity-bodies.ts'

interface Plans {
  readonly batch: readonly EventOutcome[]
  readonly scores: ScorePlan
  readonly write: WritePlan
  readonly runItem: RunItemPlan
  readonly deletion: readonly string[]
  readonly project: ProjectPlan
  /** JSON. */
  readonly page: string
}

export type Job = BatchJob | ScoreJob | WriteJob | EntityJob<'runItem'> | EntityJob<'deletion'> | EntityJob<'project'> | PageJob
export type PlanOf<J extends Job> = Plans[J['kind']]
export type Plan = PlanOf<Job>

export const bytesOf = (job: Job): number => (job.kind === 'page' ? bytesOfPage(job) : job.body.length)

/** Throws InvalidBody, or an AppError. */
export function planJob(job: Job): Plan {
  switch (job.kind) {
    case 'batch':
      return planBatch(job)
    case 'scores':
      return planScores(job)
    case 'write':
      return planWrite(job)
    case 'runItem':
      return planRunItem(job.body)
    case 'deletion':
      return planDeletion(job.body)
    case 'project':
      return planProject(job.body)
    case 'page':
      return pageText(job)
  }
}
