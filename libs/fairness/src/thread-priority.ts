// Lowers the priority of threads whose work can wait. Otherwise, on two cores, a large body would delay small requests, and a backlog would
// delay new rows, even with fair queues (F26).
import { getPriority, setPriority } from 'node:os'
import { isMainThread } from 'node:worker_threads'

/**
 * On a core that is shared with a serving thread, a thread with priority `large` gets a third of the serving thread's time, and a thread
 * with priority `background` a tenth. On an idle core, both run at full speed.
 */
export const priorities = { large: 5, background: 10 } as const

/**
 * Lowers the priority of the thread that calls this function. Only Linux has a priority for each thread. On other systems, a change would
 * affect the whole process, so nothing is changed, and the result is false.
 */
export function goBehindOthers(work: keyof typeof priorities): boolean {
  if (process.platform !== 'linux' || isMainThread) return false
  try {
    // 0 stands for the thread that calls: libuv makes the system call on this thread.
    setPriority(0, Math.max(priorities[work], getPriority(0)))
    return true
  } catch {
    return false
  }
}
