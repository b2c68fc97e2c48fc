// Metrics of the backfill.
import { anyValue, defineMetrics } from '@svc-server/service/metrics'

export const backfillStates = ['waiting', 'running', 'paused', 'refused', 'failed', 'finished', 'owned'] as const

export type BackfillState = (typeof backfillStates)[number]

export const backfillMetrics = defineMetrics({
  state: {
    type: 'gauge',
    name: 'svc_backfill_state',
    help: '1 for the current state of this process’s runner: running, paused (by an operator, the hours or the load), refused (may not begin yet), failed, finished, owned (by another process), waiting.',
    labels: { state: backfillStates },
  },
  failed: {
    type: 'gauge',
    name: 'svc_backfill_failed',
    help: '1 while a step of the backfill is failed; svc backfill status shows the reason. Alert on it.',
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
    help: 'Chunks that failed and are retried, halved where possible, by step.',
    labels: { step: anyValue },
  },
  progress: {
    type: 'gauge',
    name: 'svc_backfill_progress_ratio',
    help: 'Progress of a step from 0 to 1: each phase counts the same, and rows count within a phase.',
    labels: { step: anyValue },
  },
})
