// What a chunk waits for before it begins, in sentences for the log and the status.
import { AppError } from '@svc-server/errors'
import { createRate, type Disk, isWithin, type Load, reasonToWait, spaceProblem, type Window } from './courtesy.ts'

export interface PauseOptions {
  readonly rowsPerSecond: number | null
  readonly window: Window | null
  readonly load: () => Promise<Load>
  readonly disk: () => Promise<Disk>
  readonly isPaused: () => Promise<boolean>
  readonly clock: () => number
  /** Throws `draining` when the process has to end. */
  readonly sleep: (ms: number) => Promise<void>
  readonly isStopping: () => boolean
  /** Null: it goes on. */
  readonly onWait: (reason: string | null) => void
}

const pollMs = 2_000

export function createPause(options: PauseOptions): (rows: number) => Promise<void> {
  const { rowsPerSecond, window, load, disk, isPaused, clock, sleep, isStopping, onWait } = options
  const waitOf = createRate(rowsPerSecond, clock)

  async function reason(): Promise<string | null> {
    if (await isPaused()) return 'an operator has paused it: svc backfill resume'
    if (window !== null && !isWithin(window, clock())) return 'it is outside of SVC_BACKFILL_WINDOW'
    return reasonToWait(await load())
  }

  /** Before it is too late, and not only when the engine says so. */
  async function requireSpace(): Promise<void> {
    const problem = spaceProblem(await disk())
    if (problem !== null) throw new AppError('backfill_refused', problem)
  }

  function requireRunning(): void {
    if (isStopping()) throw new AppError('draining', 'The backfill runner is stopping.')
  }

  return async rows => {
    requireRunning()
    await requireSpace()
    for (let why = await reason(); why !== null; why = await reason()) {
      onWait(why)
      await sleep(pollMs)
    }
    onWait(null)
    for (let left = waitOf(rows); left > 0; left -= pollMs) await sleep(Math.min(left, pollMs))
  }
}
