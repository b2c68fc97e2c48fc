// A thread for work that nobody waits for goes behind the others: cores are what a background thread takes
// away from everybody else, however its work is queued (F26).
import { getPriority, setPriority } from 'node:os'
import { isMainThread } from 'node:worker_threads'

/** A tenth of what a thread of the usual priority gets where both want the same core; a whole core where nobody wants it. */
export const backgroundPriority = 10

/**
 * Puts the calling thread behind others. Only Linux has priorities of threads: elsewhere the number would be the
 * process's, and nothing changes. False: it is as before.
 */
export function goBehindOthers(): boolean {
  if (process.platform !== 'linux' || isMainThread) return false
  try {
    // 0 is whoever calls: this thread, as libuv calls from it.
    setPriority(0, Math.max(backgroundPriority, getPriority(0)))
    return true
  } catch {
    return false
  }
}
