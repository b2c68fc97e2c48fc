// What a step's row of background_migrations remembers. Whoever reads it may be a later release, so what is not of this shape is no state.
import type { PhaseState, Progress } from './walk-phase.ts'

export interface StepState {
  /** Of step 1 alone: rows from this time on are the live path's. */
  readonly cutoffMs?: number
  /** Of step 4 alone: traces that change from this time on change after the backfill. */
  readonly settledMs?: number
  /** The same while it is not known that the old tables have all of before. */
  readonly settlingMs?: number
  /** Number of the phase that is under way; those before are done. */
  readonly phase: number
  readonly current?: PhaseState
  /** Of the phases that are done. */
  readonly done: readonly Progress[]
  readonly startedMs?: number
}

export function stepStateOf(state: Readonly<Record<string, unknown>>): StepState {
  const { phase, done } = state
  if (typeof phase !== 'number' || !Array.isArray(done)) return { phase: 0, done: [] }
  return state as unknown as StepState
}
