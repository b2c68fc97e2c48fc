// Computes the progress of a step as a share of its phases, not of its rows. A phase counts its rows only when it begins, so a share of all
// known rows would decrease with each new phase.
import type { StepRow } from '@svc-server/relational/background-migrations'
import { type StepState, stepStateOf } from './step-state.ts'
import { phasesOf } from './steps.ts'
import { verifyPhases } from './verification.ts'

export interface StepProgress {
  /** Number of finished rows. `rows` and `totalRows` include only rows of phases that have begun. */
  readonly rows: number
  readonly totalRows: number
  readonly chunks: number
  /** The finished share of the step, from 0 to 1. The share decreases only when the proof of the stored rows must run again. */
  readonly ratio: number
}

export const isLastStep = ({ script }: Pick<StepRow, 'script'>): boolean => script === 'backfillEventsFullFromDatasetRunItems'

/** All phases have the same weight. The current phase counts in proportion to its finished rows. */
export function progressOf(
  step: Pick<StepRow, 'script' | 'state' | 'finishedAt'>,
  state: StepState = stepStateOf(step.state),
): StepProgress {
  const { current, done } = state
  const parts = [...done, ...(current === undefined ? [] : [current.progress])]
  const sum = (of: 'rows' | 'totalRows' | 'chunks') => parts.reduce((total, part) => total + part[of], 0)
  const phases = phasesOf[step.script].length + (isLastStep(step) ? verifyPhases('').length : 0)
  const { rows = 0, totalRows = 0 } = current?.progress ?? {}
  // The share is limited to 1, because rows can arrive while a phase runs.
  const begun = totalRows === 0 ? 0 : Math.min(1, rows / totalRows)
  const ratio = step.finishedAt !== null ? 1 : phases === 0 ? 0 : Math.min(1, (done.length + begun) / phases)
  return { rows: sum('rows'), totalRows: sum('totalRows'), chunks: sum('chunks'), ratio }
}
