// The state in a step's row of background_migrations. Another release may have written it, so an unknown form counts as no state.
import type { PhaseState, Progress } from './walk-phase.ts'

export interface StepState {
  /** Step 1: rows from this time on belong to the live path. */
  readonly cutoffMs?: number
  /** Step 4: traces that change from this time on count as changed after the backfill. */
  readonly settledMs?: number
  /** The next value of `settledMs`. It applies as soon as the old tables contain all data from before this time. */
  readonly settlingMs?: number
  /** Index of the current phase; all earlier phases are done. */
  readonly phase: number
  readonly current?: PhaseState
  readonly done: readonly Progress[]
  readonly startedMs?: number
}

export function stepStateOf(state: Readonly<Record<string, unknown>>): StepState {
  const { phase, done } = state
  if (typeof phase !== 'number' || !Array.isArray(done)) return { phase: 0, done: [] }
  return state as unknown as StepState
}
