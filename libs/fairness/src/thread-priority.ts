// Lowers the priority of threads whose work can wait. On two cores, a large body and a backlog would otherwise delay small
// requests and rows, however fairly their work is queued (F26).
import { getPriority, setPriority } from 'node:os'
import { isMainThread } from 'node:worker_threads'

/**
 * When both compete for a core, a thread that works on `large` requests gets a third of a serving thread's time, and a
 * `background` thread a tenth. An idle core is fully available to either.
 */
export const priorities = { large: 5, background: 10 } as const

/**
 * Lowers the priority of the calling thread. Only Linux has priorities per thread; elsewhere the call would affect the whole
 * process, so it changes nothing and returns false.
 */
export function goBehindOthers(work: keyof typeof priorities): boolean {
  if (process.platform !== 'linux' || isMainThread) return false
  try {
    // 0 means the calling thread: libuv makes the system call on this thread.
    setPriority(0, Math.max(priorities[work], getPriority(0)))
    return true
  } catch {
    return false
  }
}
