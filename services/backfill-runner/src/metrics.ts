// What the backfill measures.
import { anyValue, defineMetrics } from '@svc-server/service/metrics'

export const backfillStates = ['waiting', 'running', 'paused', 'refused', 'failed', 'finished', 'owned'] as const

export type BackfillState = (typeof backfillStates)[number]

export const backfillMetrics = defineMetrics({
  state: {
    type: 'gauge',
    name: 'svc_backfill_state',
    help: '1 for what the runner of this process does: running, paused (by an operator, the hours or the load), refused (it may not begin yet), failed, finished, owned (by another process), waiting.',
    labels: { state: backfillStates },
  },
  failed: {
    type: 'gauge',
    name: 'svc_backfill_failed',
    help: '1 while a step of the backfill is failed: svc backfill status has its sentence. To be alerted on.',
  },
  rows: {
    type: 'counter',
    name: 'svc_backfill_rows_total',
    help: 'Rows of the old tables that were brought over, by step.',
    labels: { step: anyValue },
  },
  chunkFailures: {
    type: 'counter',
    name: 'svc_backfill_chunk_failures_total',
    help: 'Chunks that failed and are tried again, in halves where they can be halved, by step.',
    labels: { step: anyValue },
  },
  progress: {
    type: 'gauge',
    name: 'svc_backfill_progress_ratio',
    help: 'How much of a step is done, 0 to 1: its phases, each as much as another, and rows within one.',
    labels: { step: anyValue },
  },
})
