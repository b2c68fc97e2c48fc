// What an operator is shown of the chain.
import { readSteps, type StepRow } from '@svc-server/relational/background-migrations'
import type { RelationalStore } from '@svc-server/relational/store'
import { stepStateOf } from './step-state.ts'

export interface StepStatus {
  readonly name: string
  readonly status: 'waiting' | 'running' | 'interrupted' | 'finished' | 'failed'
  readonly rows: number
  readonly totalRows: number
  readonly chunks: number
  readonly month: number | null
  readonly failedReason: string | null
  /** Of step 1. */
  readonly cutoff: string | null
  readonly rowsPerSecond: number | null
  readonly secondsLeft: number | null
}

export async function backfillStatus(relational: Pick<RelationalStore, 'db'>, nowMs: number): Promise<readonly StepStatus[]> {
  const steps = await readSteps(relational)
  const current = steps.find(({ finishedAt }) => finishedAt === null)
  return steps.map(step => statusOf(step, step === current, nowMs))
}

function statusOf(step: StepRow, isCurrent: boolean, nowMs: number): StepStatus {
  const { current, done, startedMs, cutoffMs } = stepStateOf(step.state)
  const parts = [...done, ...(current === undefined ? [] : [current.progress])]
  const rows = parts.reduce((sum, part) => sum + part.rows, 0)
  const totalRows = parts.reduce((sum, part) => sum + part.totalRows, 0)
  const begun = startedMs !== undefined
  const status =
    step.finishedAt !== null
      ? 'finished'
      : step.failedAt !== null
        ? 'failed'
        : !begun || !isCurrent
          ? 'waiting'
          : step.isLeased
            ? 'running'
            : 'interrupted'
  const seconds = begun ? Math.max(1, (nowMs - startedMs) / 1000) : 0
  const rate = status === 'running' && rows > 0 ? rows / seconds : null
  return {
    name: step.name,
    status,
    rows,
    totalRows,
    chunks: parts.reduce((sum, part) => sum + part.chunks, 0),
    month: current?.walk.months[0] ?? null,
    failedReason: step.failedReason,
    cutoff: cutoffMs === undefined ? null : new Date(cutoffMs).toISOString(),
    rowsPerSecond: rate === null ? null : Math.round(rate),
    secondsLeft: rate === null ? null : Math.round(Math.max(0, totalRows - rows) / rate),
  }
}
