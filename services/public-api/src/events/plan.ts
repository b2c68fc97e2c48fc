// What a body becomes, by what it was sent for. Pure, so that a thread can do it: a large body would hold the
// event loop up.
import { type BatchJob, planBatch } from './batch.ts'
import type { EventOutcome } from './event.ts'
import { planScores, type ScoreJob, type ScorePlan } from './score-batch.ts'

export type Job = BatchJob | ScoreJob
export type Plan = readonly EventOutcome[] | ScorePlan

export type PlanOf<J extends Job> = J extends BatchJob ? readonly EventOutcome[] : ScorePlan

/** Throws InvalidBody, or an AppError. */
export const planJob = (job: Job): Plan => (job.kind === 'batch' ? planBatch(job) : planScores(job))
