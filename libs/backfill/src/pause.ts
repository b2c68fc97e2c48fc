// Lets the backfill wait before a chunk, for example while the column store is busy. Log messages and the backfill's status show the
// reason.
import { AppError } from '@svc-server/errors'
import { createRate, isWithin, type Load, patienceMs, reasonToWait, type Space, spaceProblem, type Wait, type Window } from './throttle.ts'

export interface PauseOptions {
  readonly rowsPerSecond: number | null
  readonly window: Window | null
  readonly load: () => Promise<Load>
  readonly space: () => Promise<Space>
  readonly isPaused: () => Promise<boolean>
  readonly clock: () => number
  /** Throws `draining` if the process must end. */
  readonly sleep: (ms: number) => Promise<void>
  readonly isStopping: () => boolean
  /** Called with the reason when a wait begins, and with null when the wait ends. */
  readonly onWait: (reason: string | null) => void
}

const pollMs = 2_000
/**
 * The interval is short, because other statements and merges usually end soon. With a longer interval, the backfill would still wait after
 * they have ended, and would therefore wait most of the time.
 */
const softPollMs = 250

export function createPause(options: PauseOptions): (rows: number) => Promise<void> {
  const { rowsPerSecond, window, load, space, isPaused, clock, sleep, isStopping, onWait } = options
  const waitOf = createRate(rowsPerSecond, clock)

  async function reason(): Promise<Wait | null> {
    if (await isPaused()) return { reason: 'an operator has paused the backfill: to continue, run svc backfill resume', isHard: true }
    if (window !== null && !isWithin(window, clock())) return { reason: 'the current time is outside SVC_BACKFILL_WINDOW', isHard: true }
    return reasonToWait(await load())
  }

  async function requireSpace(): Promise<void> {
    const problem = spaceProblem(await space())
    if (problem !== null) throw new AppError('backfill_refused', problem)
  }

  function requireRunning(): void {
    if (isStopping()) throw new AppError('draining', 'The backfill runner is stopping.')
  }

  let lastMs: number | null = null

  return async rows => {
    requireRunning()
    await requireSpace()
    const begunMs = clock()
    const patience = patienceMs(lastMs === null ? 0 : begunMs - lastMs)
    for (let why = await reason(); why !== null; why = await reason()) {
      if (!why.isHard && clock() - begunMs >= patience) break
      onWait(why.reason)
      await sleep(why.isHard ? pollMs : softPollMs)
    }
    onWait(null)
    for (let left = waitOf(rows); left > 0; left -= pollMs) await sleep(Math.min(left, pollMs))
    lastMs = clock()
  }
}
