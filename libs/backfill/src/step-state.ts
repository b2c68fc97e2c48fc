// The state in a step's row of background_migrations. A later release may read it, so content of another shape counts
// as no state.
import type { PhaseState, Progress } from './walk-phase.ts'

export interface StepState {
  /** Step 1 only: rows from this time on belong to the live path. */
  readonly cutoffMs?: number
  /** Step 4 only: traces that change from this time on change after the backfill. */
  readonly settledMs?: number
  /** The same time, until the old tables are known to contain everything before it. */
  readonly settlingMs?: number
  /** Index of the current phase. Earlier phases are done. */
  readonly phase: number
  readonly current?: PhaseState
  /** Progress of the finished phases. */
  readonly done: readonly Progress[]
  readonly startedMs?: number
}

export function stepStateOf(state: Readonly<Record<string, unknown>>): StepState {
  const { phase, done } = state
  if (typeof phase !== 'number' || !Array.isArray(done)) return { phase: 0, done: [] }
  return state as unknown as StepState
}
