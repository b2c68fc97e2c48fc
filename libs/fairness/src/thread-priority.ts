// Lowers the priority of threads whose work can wait. Otherwise, on two cores, a large body and a backlog would delay small requests and
// rows, even if the queues are fair (F26).
import { getPriority, setPriority } from 'node:os'
import { isMainThread } from 'node:worker_threads'

/**
 * When a thread competes with a serving thread for a core, a thread for `large` requests gets a third of the serving thread's time, and a
 * `background` thread a tenth. On an idle core, these threads run at full speed.
 */
export const priorities = { large: 5, background: 10 } as const

/**
 * Lowers the priority of the calling thread. Only Linux has priorities per thread. On other systems a change would affect the whole
 * process, so the function changes nothing and returns false.
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
