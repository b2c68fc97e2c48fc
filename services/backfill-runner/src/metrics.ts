import { anyValue, defineMetrics } from '@svc-server/service/metrics'

export const backfillStates = ['waiting', 'running', 'paused', 'refused', 'failed', 'finished', 'owned'] as const

export type BackfillState = (typeof backfillStates)[number]

export const backfillMetrics = defineMetrics({
  state: {
    type: 'gauge',
    name: 'svc_backfill_state',
    help: 'The value is 1 for the current state of this process’s runner. The state “paused” means that an operator paused the runner, that the time is outside of SVC_BACKFILL_WINDOW, or that the load is too high. The state “refused” means that the backfill cannot begin or continue until a condition is met. The runner’s log names the condition. The state “owned” means that another process owns the backfill.',
    labels: { state: backfillStates },
  },
  failed: {
    type: 'gauge',
    name: 'svc_backfill_failed',
    help: 'The value is 1 while a step of the backfill has failed and waits for an operator. The command svc backfill status shows the reason.',
  },
  rows: {
    type: 'counter',
    name: 'svc_backfill_rows_total',
    help: 'Migrated rows of the old tables, by step.',
    labels: { step: anyValue },
  },
  chunkFailures: {
    type: 'counter',
    name: 'svc_backfill_chunk_failures_total',
    help: 'Failures of chunks, by step. The runner retries a failed chunk. If possible, it first divides the chunk into two halves.',
    labels: { step: anyValue },
  },
  progress: {
    type: 'gauge',
    name: 'svc_backfill_progress_ratio',
    help: 'Progress of a step, from 0 to 1. All phases of a step contribute equally. Within a phase, progress is measured in rows.',
    labels: { step: anyValue },
  },
})
