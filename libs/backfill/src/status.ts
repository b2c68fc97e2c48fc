import { readSteps, type StepRow } from '@svc-server/relational/background-migrations'
import type { RelationalStore } from '@svc-server/relational/store'
import { instance } from '@svc-server/relational/tenancy'
import { progressOf } from './step-progress.ts'
import { stepStateOf } from './step-state.ts'

export interface StepStatus {
  readonly name: string
  readonly status: 'waiting' | 'running' | 'interrupted' | 'finished' | 'failed'
  /** Number of finished rows. `rows` and `totalRows` count only the phases that have begun. */
  readonly rows: number
  readonly totalRows: number
  readonly chunks: number
  /** How much of the step is finished, from 0 to 1. All phases count equally. The current phase counts by its share of finished rows. */
  readonly ratio: number
  readonly month: number | null
  readonly failedReason: string | null
  /** Only for step 1. */
  readonly cutoff: string | null
  /**
   * Time at which the installation began to accept records in `legacy`, if this was after the start of the backfill. The running backfill
   * does not migrate these records. Null if there are no such records. Always null for steps 2 to 5.
   */
  readonly legacySince: string | null
  readonly rowsPerSecond: number | null
  readonly secondsLeft: number | null
}

export async function backfillStatus(relational: Pick<RelationalStore, 'db'>, nowMs: number): Promise<readonly StepStatus[]> {
  const steps = await readSteps(instance(relational))
  const current = steps.find(({ finishedAt }) => finishedAt === null)
  return steps.map(step => statusOf(step, step === current, nowMs))
}

/** Returns true if no step found a row. This happens in a deployment that never ran v3. */
export const foundNothing = (steps: readonly StepStatus[]): boolean =>
  steps.some(({ status }) => status === 'finished') &&
  steps.every(({ status, totalRows }) => (status === 'finished' || status === 'waiting') && totalRows === 0)

type CopyState = 'none' | 'waiting' | 'running' | 'interrupted' | 'failed' | 'finished'

/**
 * `none`: v3 stored no data. `waiting`: the copy has not begun or has found no rows yet. `interrupted`: no runner is working. The last step
 * does not count: it only drops scratch tables, and does not run by default.
 */
export function copyState(steps: readonly StepStatus[]): CopyState {
  const copying = steps.slice(0, -1)
  if (copying.some(({ status }) => status === 'failed')) return 'failed'
  if (steps.length === 0 || foundNothing(steps)) return 'none'
  if (copying.every(({ status }) => status === 'finished')) return 'finished'
  if (copying.every(({ totalRows }) => totalRows === 0)) return 'waiting'
  return copying.some(({ status }) => status === 'interrupted') ? 'interrupted' : 'running'
}

/** Returns the share of the data that the backfill has copied, from 0 to 1. Every step that copies rows has the same weight. */
export function copiedRatio(steps: readonly StepStatus[]): number {
  const copying = steps.slice(0, -1)
  return copying.reduce((sum, { ratio }) => sum + ratio, 0) / Math.max(1, copying.length)
}

/** Returns a sentence about records that were accepted in `legacy` mode after the backfill had begun. Returns null if there are none. */
export function missedInLegacy([first]: readonly StepStatus[]): string | null {
  if (first === undefined || first.legacySince === null) return null
  return `Data accepted in write mode legacy since ${first.legacySince} is not in the events tables: the backfill had already begun and does not copy it.`
}

function statusOf(step: StepRow, isCurrent: boolean, nowMs: number): StepStatus {
  const { current, startedMs, cutoffMs } = stepStateOf(step.state)
  const { rows, totalRows, chunks, ratio } = progressOf(step)
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
  const isMoving = status === 'running' && ratio > 0
  return {
    name: step.name,
    status,
    rows,
    totalRows,
    chunks,
    ratio,
    month: current?.walk.months[0] ?? null,
    failedReason: step.failedReason,
    cutoff: cutoffMs === undefined ? null : new Date(cutoffMs).toISOString(),
    legacySince: cutoffMs === undefined || step.legacySinceMs === null ? null : new Date(step.legacySinceMs).toISOString(),
    rowsPerSecond: isMoving ? Math.round(rows / seconds) : null,
    secondsLeft: isMoving ? Math.round((seconds * (1 - ratio)) / ratio) : null,
  }
}
