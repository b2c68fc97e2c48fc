// The state in a step's row of background_migrations. Another release may have written this state. If the state has an unknown form,
// `stepStateOf` ignores it and returns the state of a step that has not begun.
import type { PhaseState, Progress } from './walk-phase.ts'

export interface StepState {
  /**
   * Only in step 1. The backfill leaves out rows of the old tables whose `event_ts` is at or after this time, because the writers already
   * store these rows in the events tables.
   */
  readonly cutoffMs?: number
  /**
   * Set only in step 4. The events of a trace take values from other rows. If one of these other rows changed at or after
   * `settledMs`, the proof accepts that the trace's events differ from their expected values.
   */
  readonly settledMs?: number
  /**
   * The next value of `settledMs`. `settledMs` gets the value of `settlingMs` when the old tables contain all data from before
   * `settlingMs`.
   */
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
