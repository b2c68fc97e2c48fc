// "There is work and nothing moves" as a check. Activity proves nothing: a stuck loop is busy too, and an
// idle one is healthy.
import { type CheckResult, healthy, unhealthy } from './health.ts'

export interface ProgressTracker {
  /** Says whether there is work now. Time counts from the moment it appears. */
  work(pending: boolean): void
  /** Something was finished: the count starts again. */
  progress(): void
  /** Red when there has been work, and no progress, for longer than the threshold. */
  check(): CheckResult
  /** How long work has been waiting without progress; 0 when there is none. */
  readonly stuckForMs: number
}

export interface ProgressOptions {
  readonly thresholdMs: number
  /** Monotonic milliseconds. The wall clock would turn a probe red when it is set (F28). */
  readonly monotonicNow?: () => number
  /** Asked at every check, for those who cannot say when work appears. */
  readonly hasWork?: () => boolean
}

export const createProgressTracker = (options: ProgressOptions): ProgressTracker => {
  const { thresholdMs, monotonicNow = () => performance.now(), hasWork } = options
  let waitingSince: number | null = null

  const work = (pending: boolean) => {
    if (!pending) waitingSince = null
    else waitingSince ??= monotonicNow()
  }
  const stuckForMs = () => (waitingSince === null ? 0 : monotonicNow() - waitingSince)

  return {
    work,
    progress() {
      if (waitingSince !== null) waitingSince = monotonicNow()
    },
    check() {
      if (hasWork !== undefined) work(hasWork())
      const waitedMs = stuckForMs()
      if (waitedMs <= thresholdMs) return healthy
      return unhealthy(`work is waiting and nothing was finished for ${Math.round(waitedMs / 1000)} s (threshold ${thresholdMs / 1000} s)`)
    },
    get stuckForMs() {
      return stuckForMs()
    },
  }
}
