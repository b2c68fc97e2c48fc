// Runs the five steps of the backfill in order. A step runs only after the previous step has succeeded (contract §3.2). If a step fails,
// the chain records the failure in the step's row and ends the run.
import type { ColumnStore } from '@svc-server/column-store/port'
import { type AppError, isAppError, isRetryable } from '@svc-server/errors'
import type { BackfillScript } from '@svc-server/relational/backfill-steps'
import {
  claimChain,
  failStep,
  finishStep,
  heartbeat,
  type Ownership,
  readSteps,
  releaseChain,
  type StepRow,
  saveState,
} from '@svc-server/relational/background-migrations'
import type { RelationalStore } from '@svc-server/relational/store'
import { instance } from '@svc-server/relational/tenancy'
import type { Dialect } from '@svc-server/schema/dialect'
import type { Chunk, Limits } from './chunks.ts'
import { completeSince } from './complete-since.ts'
import { readDenied } from './denied.ts'
import { collectChanges } from './late-changes.ts'
import { createScratch, dropScratch } from './scratch.ts'
import { createSession, type Session } from './session.ts'
import { isLastStep } from './step-progress.ts'
import { type StepState, stepStateOf } from './step-state.ts'
import { phasesOf } from './steps.ts'
import { verifyPhases } from './verification.ts'
import { requireExact } from './verify.ts'
import { walkPhase } from './walk-phase.ts'

export interface ChainOptions {
  readonly relational: Pick<RelationalStore, 'db'>
  readonly columnStore: ColumnStore
  readonly dialect: Dialect
  /** Identifies this process as the owner of the chain. */
  readonly owner: string
  readonly limits: Limits
  /** Maximum threads of a statement. */
  readonly threads?: number | undefined
  /** True if the step's environment variable allows the step to run. */
  readonly isOpen: (script: BackfillScript) => boolean
  /**
   * Finds the cutoff. From this time on, the live path writes every row of the old tables to the events tables, too. The cutoff is not
   * earlier than `notBeforeMs`. Throws `backfill_refused` while the cutoff cannot be determined.
   */
  readonly findCutoff: (notBeforeMs: number) => Promise<number>
  /**
   * Waits until all records accepted before the given time are in the old tables. Throws `backfill_refused` if the readers of the log do
   * not process these records within a limited time.
   */
  readonly settle: (beforeMs: number) => Promise<void>
  readonly clock?: () => number
  /** Called before each chunk. Throws `draining` if the process must stop. */
  readonly pause: (rows: number) => Promise<void>
  readonly sleep: (ms: number) => Promise<void>
  readonly onProgress?: (step: StepRow, state: StepState) => void
  readonly onFailure?: (step: StepRow, chunk: Chunk, error: unknown) => void
  readonly onStatement?: (sql: string) => Promise<void>
}

export type ChainEnd =
  | { readonly kind: 'finished' }
  /** The next step must not run, because the configuration does not allow the step. */
  | { readonly kind: 'gated'; readonly step: StepRow }
  | { readonly kind: 'failed'; readonly step: StepRow; readonly reason: string }
  | { readonly kind: 'owned'; readonly by: string }
  /** The next run continues from the saved position. */
  | { readonly kind: 'interrupted'; readonly error: AppError }

const heartbeatMs = 15_000

export async function runChain(options: ChainOptions): Promise<ChainEnd> {
  const { relational, owner } = options
  const before = endOf(await readSteps(instance(relational)), options)
  if (before !== null) return before
  const ownership = await claimChain(instance(relational), owner)
  if (ownership === null) return { kind: 'owned', by: (await readSteps(instance(relational)))[0]?.workerId ?? '' }
  const lost: unknown[] = []
  const timer = setInterval(() => {
    heartbeat(instance(relational), ownership).catch((error: unknown) => {
      if (isAppError(error) && error.code === 'fenced') lost.push(error)
    })
  }, heartbeatMs)
  const pause = async (rows: number) => {
    if (lost.length > 0) throw lost[0]
    await options.pause(rows)
  }
  try {
    const session = createSession({ ...options, fence: ownership.fence })
    await session.takeOver()
    return await runSteps({ ...options, pause }, ownership, session)
  } catch (error) {
    if (!isAppError(error)) throw error
    if (isRetryable(error) || passing.has(error.code)) return { kind: 'interrupted', error }
    // After such an error, a retry would not help. The usual cause of the error is a missing grant.
    const step = (await readSteps(instance(relational))).find(({ finishedAt }) => finishedAt === null)
    if (step === undefined) throw error
    await failStep(instance(relational), ownership, step.id, error.message)
    return { kind: 'failed', step, reason: error.message }
  } finally {
    clearInterval(timer)
    await releaseChain(instance(relational), ownership).catch(() => {})
  }
}

const passing: ReadonlySet<string> = new Set(['fenced', 'draining', 'backfill_refused'])

/** Returns null if the first unfinished step can run. */
function endOf(steps: readonly StepRow[], { isOpen }: Pick<ChainOptions, 'isOpen'>): ChainEnd | null {
  const step = steps.find(({ finishedAt }) => finishedAt === null)
  if (step === undefined) return { kind: 'finished' }
  if (step.failedAt !== null) return { kind: 'failed', step, reason: step.failedReason ?? '' }
  return isOpen(step.script) ? null : { kind: 'gated', step }
}

async function runSteps(options: ChainOptions, ownership: Ownership, session: Session): Promise<ChainEnd> {
  const { relational, columnStore, dialect } = options
  let isReady = false
  for (;;) {
    const steps = await readSteps(instance(relational))
    const end = endOf(steps, options)
    if (end !== null) return end
    const step = steps.find(({ finishedAt }) => finishedAt === null)!
    try {
      if (!isReady && step.script !== 'dropPidTidSortingTables') {
        // An installation can return to v3 and upgrade again. The old scratch tables would then contain rows that v3 has deleted since.
        const isNew = step === steps[0] && stepStateOf(step.state).startedMs === undefined
        for (const statement of [...(isNew ? dropScratch(dialect) : []), ...createScratch(dialect)]) await columnStore.command(statement)
      }
      isReady = true
      await runStep(options, ownership, session, step, steps)
    } catch (error) {
      if (isAppError(error) && (isRetryable(error) || passing.has(error.code))) throw error
      const reason = error instanceof Error ? error.message : String(error)
      await failStep(instance(relational), ownership, step.id, reason)
      return { kind: 'failed', step, reason }
    }
    await finishStep(instance(relational), ownership, step.id)
  }
}

async function runStep(
  options: ChainOptions,
  ownership: Ownership,
  session: Session,
  step: StepRow,
  [first]: readonly StepRow[],
): Promise<void> {
  const { relational, columnStore, dialect, findCutoff, onProgress, onFailure, pause } = options
  if (step.script === 'dropPidTidSortingTables') {
    for (const statement of dropScratch(dialect)) await columnStore.command(statement)
    return
  }
  let state = stepStateOf(step.state)
  const save = async (next: StepState) => {
    state = next
    await saveState(instance(relational), ownership, step.id, { ...next })
    onProgress?.(step, next)
  }
  const cutoffMs = state.cutoffMs ?? stepStateOf(first!.state).cutoffMs ?? (await findCutoff(await completeSince(session, first!)))
  if (state.startedMs === undefined) await save({ ...state, startedMs: Date.now(), ...(step.id === first!.id && { cutoffMs }) })
  const denied = readDenied(relational, session)
  const brings = phasesOf[step.script]
  const isLast = isLastStep(step)
  const proof = `${step.name} ${state.startedMs}`
  for (const phase of [...brings, ...(isLast ? verifyPhases(proof) : [])].slice(state.phase)) {
    if (phase === collectChanges && state.settledMs === undefined) {
      // The backfill waits until the readers have reached the settling time. Every attempt of the step uses the same settling time. If
      // each attempt set a later settling time, the readers might never reach it, because the readers always lag by minutes: staged spans
      // wait until their window ends.
      const settlingMs = state.settlingMs ?? (options.clock ?? Date.now)()
      await save({ ...state, settlingMs })
      await options.settle(settlingMs)
      await save({ ...state, settledMs: settlingMs })
    }
    await walkPhase(phase, { session, cutoffMs, settledMs: state.settledMs, refreshDenied: denied.refresh }, state.current, {
      ...options,
      save: current => save({ ...state, current }),
      pause: async rows => {
        await pause(rows)
        await denied.refresh()
      },
      onFailure: (chunk, error) => onFailure?.(step, chunk, error),
    })
    const { current, ...rest } = state
    await save({ ...rest, phase: state.phase + 1, done: [...state.done, current!.progress] })
  }
  if (!isLast) return
  try {
    await requireExact(session, proof)
  } catch (error) {
    // The next try must collect late changes again, and then run the whole proof again. The new `startedMs` gives the next proof another
    // name, so that the next proof does not count the differences of the failed proof.
    const phase = brings.indexOf(collectChanges)
    await save({ phase, done: state.done.slice(0, phase), startedMs: Date.now() })
    throw error
  }
}
