// The state in a step's row of background_migrations. A different release could have written the state, so content in an unknown form
// counts as no state.
import type { PhaseState, Progress } from './walk-phase.ts'

export interface StepState {
  /** Only for step 1: rows from this time on belong to the live path. */
  readonly cutoffMs?: number
  /** Only for step 4: a trace that changes from this time on counts as changed after the backfill. */
  readonly settledMs?: number
  /** The next value of `settledMs`, which applies once the old tables contain all data from before that time. */
  readonly settlingMs?: number
  /** Index of the current phase. All phases with a lower index are done. */
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
