// Waits for a condition instead of a fixed time. If the wait times out, the error names the missing condition.
import { setTimeout as sleep } from 'node:timers/promises'

export interface WaitOptions {
  readonly timeoutMs?: number
  /** Completes the error message "Waited … ms for …". */
  readonly what: string
  /**
   * Time between two checks. By default, this time grows with the elapsed time and with the duration of the last check (`pauseAfter`). Most
   * CPU time thus remains for the awaited work.
   */
  readonly everyMs?: number
}

/**
 * Returns the longer of two pauses. One pause is a twentieth of the elapsed time, but at least 10 ms and at most 50 ms. The other pause is
 * four times as long as the last check, but at most 400 ms. Checks of up to 100 ms, such as queries of a store, thus take at most a fifth
 * of the waiting time.
 */
const pauseAfter = (elapsedMs: number, checkMs: number) => Math.max(10, Math.min(50, elapsedMs / 20), Math.min(400, 4 * checkMs))

/**
 * Resolves with the first truthy result. If the condition throws, the wait continues. The condition's last error is the cause of the
 * timeout error.
 */
export async function waitFor<T>(condition: () => T | Promise<T>, options: WaitOptions): Promise<NonNullable<T>> {
  const timeoutMs = options.timeoutMs ?? 120_000
  const startedAt = performance.now()
  let cause: unknown
  do {
    const checkedAt = performance.now()
    try {
      const result = await condition()
      if (result) return result
      cause = undefined
    } catch (error) {
      cause = error
    }
    const now = performance.now()
    await sleep(options.everyMs ?? pauseAfter(now - startedAt, now - checkedAt))
  } while (performance.now() - startedAt < timeoutMs)
  throw new Error(`Waited ${timeoutMs} ms for ${options.what}`, cause === undefined ? undefined : { cause })
}
