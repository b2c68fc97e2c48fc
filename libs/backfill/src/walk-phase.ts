// Runs one phase from its saved position, chunk by chunk. Saves the position before and after each chunk. Halves a chunk that fails.
import { AppError, isAppError } from '@svc-server/errors'
import { type Chunk, finished, halved, type Limits, nextChunk, startWalk, type Walk } from './chunks.ts'
import { readKeys } from './sources.ts'
import type { Once, Phase, Scope } from './step.ts'

export interface Progress {
  readonly chunks: number
  /** Number of rows. If the table contains several versions of a row, each version counts. */
  readonly rows: number
  readonly totalRows: number
}

export interface PhaseState {
  readonly prepared: boolean
  readonly walk: Walk
  readonly progress: Progress
}

export interface WalkOptions {
  readonly limits: Limits
  readonly save: (state: PhaseState) => Promise<void>
  /** Called between chunks. Throws if the walk must stop. */
  readonly pause: (rows: number) => Promise<void>
  readonly sleep: (ms: number) => Promise<void>
  readonly onFailure?: (chunk: Chunk, error: unknown) => void
}

/** Maximum tries of a chunk that cannot be halved. The same limit applies to work that does not belong to a chunk. */
const maxTries = 5
const retryMs = [200, 1_000, 5_000, 15_000]

export async function walkPhase(phase: Phase, scope: Scope, known: PhaseState | undefined, options: WalkOptions): Promise<void> {
  const { limits, save, pause, onFailure } = options
  if (phase.source === null) return doOnce(phase, scope, known, options)
  const reader = readKeys(scope.session, phase.source)
  const ask = <T>(work: () => Promise<T>): Promise<T> => patiently(phase, scope, options, work)
  let state = known ?? (await ask(begin))
  // A saved chunk is in doubt, because the runner that saved it may have ended while the chunk was in progress.
  let inDoubt = state.walk.next.length > 0

  async function begin(): Promise<PhaseState> {
    const months = await reader.months()
    let totalRows = 0
    for (const month of months) totalRows += await reader.rows({ month, after: null, upTo: null })
    return { prepared: false, walk: startWalk(months), progress: { chunks: 0, rows: 0, totalRows } }
  }

  if (!state.prepared) {
    await ask(async () => phase.prepare?.(scope))
    state = { ...state, prepared: true }
    await save(state)
  }
  for (let tries = 0; ; ) {
    const next = await ask(() => nextChunk(state.walk, reader, limits))
    if (next === null) return save(state)
    if (next.walk !== state.walk) await save((state = { ...state, walk: next.walk }))
    const rows = await ask(() => reader.rows(next.chunk))
    await pause(rows)
    try {
      await phase.bring(scope, next.chunk, inDoubt)
    } catch (error) {
      if (isEnd(error)) throw error
      onFailure?.(next.chunk, error)
      tries += 1
      await settle(scope, options, tries)
      inDoubt = true
      const smaller = tries > 1 || !isSilence(error) ? await ask(() => halved(state.walk, reader)) : null
      if (smaller !== null) {
        await save((state = { ...state, walk: smaller }))
        tries = 0
      } else if (tries >= maxTries) throw chunkFailed(phase, next.chunk, error)
      continue
    }
    tries = 0
    const { progress } = state
    state = { ...state, walk: finished(state.walk), progress: { ...progress, chunks: progress.chunks + 1, rows: progress.rows + rows } }
    // If a chunk was halved after a failed attempt, that attempt covered both halves. The attempt may have written rows of the second half
    // to only one of the two events tables, so `inDoubt` stays true until the second half is done.
    inDoubt = inDoubt && state.walk.next.length > 0
    await save(state)
  }
}

/** The state at the beginning of a walk over these months. The rows are not counted. */
export const beginAt = (months: readonly number[], prepared = false): PhaseState => ({
  prepared,
  walk: startWalk(months),
  progress: { chunks: 0, rows: 0, totalRows: 0 },
})

async function doOnce(phase: Once, scope: Scope, known: PhaseState | undefined, options: WalkOptions): Promise<void> {
  if (known !== undefined) return
  await options.pause(0)
  await patiently(phase, scope, options, () => phase.prepare(scope))
  await options.save(beginAt([], true))
}

/**
 * Runs work that does not belong to a chunk, and repeats it after a failure. Throws `backfill_failed` after too many failures, even if the
 * store's error is retryable.
 */
async function patiently<T>({ name }: Phase, scope: Scope, options: WalkOptions, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (isEnd(error)) throw error
      if (tries === maxTries) throw new AppError('backfill_failed', `${name} did not succeed: ${reasonOf(error)}`, {}, { cause: error })
      await settle(scope, options, tries)
    }
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function chunkFailed({ name }: Pick<Phase, 'name'>, { month, after, upTo }: Chunk, error: unknown): AppError {
  const message = `${name}, ${month}, after ${JSON.stringify(after)} up to ${JSON.stringify(upTo)}: ${reasonOf(error)}`
  return new AppError('backfill_failed', message, {}, { cause: error })
}

/** True if another runner has taken over, or if this process must end. */
const isEnd = (error: unknown) => isAppError(error) && (error.code === 'fenced' || error.code === 'draining')

/** True if the store did not respond. In this case, the cause of the failure may be something other than the chunk. */
const isSilence = (error: unknown) =>
  isAppError(error) && error.code === 'column_store_unavailable' && error.params['clickHouseCode'] === undefined

/** Waits until the store responds and the statements of the failed attempt have ended. */
async function settle({ session }: Scope, { sleep }: WalkOptions, tries: number): Promise<void> {
  for (let asked = 0; ; asked++) {
    await sleep(retryMs[Math.min(Math.max(asked, tries - 1), retryMs.length - 1)]!)
    try {
      return await session.quiesce()
    } catch (error) {
      if (asked >= 60) throw error
    }
  }
}
