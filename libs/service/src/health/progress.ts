// Detects work without progress. Activity is not a criterion, because a stuck loop can be busy, and an idle loop is healthy.
import { type CheckResult, healthy, unhealthy } from './health.ts'

export interface ProgressTracker {
  /** The time without progress begins when work becomes pending. */
  work(pending: boolean): void
  /** Restarts the time without progress. */
  progress(): void
  /** Unhealthy if work has been pending without progress for longer than the threshold. */
  check(): CheckResult
  /** Time without progress in milliseconds; 0 if no work is pending. */
  readonly stuckForMs: number
}

export interface ProgressOptions {
  readonly thresholdMs: number
  /** The clock is monotonic, because a changed wall clock would make the probe fail (F28). */
  readonly monotonicNow?: () => number
  /** Returns true if work waits. Only a component that cannot report new work needs this function. Called at every check. */
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
      return unhealthy(`work is waiting, but none was finished for ${Math.round(waitedMs / 1000)} s (threshold ${thresholdMs / 1000} s)`)
    },
    get stuckForMs() {
      return stuckForMs()
    },
  }
}
