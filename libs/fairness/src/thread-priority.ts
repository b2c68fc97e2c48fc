// Lowers the priority of threads with work that can wait. With equal priorities, on two cores, a large body would delay small requests, and
// a backlog would delay new rows, even with fair queues (F26).
import { getPriority, setPriority } from 'node:os'
import { isMainThread } from 'node:worker_threads'

/**
 * On a core shared with a request-serving thread, a thread with priority `large` gets a third of the time of the serving thread, and a
 * thread with priority `background` a tenth. On an idle core, threads of both priorities run at full speed.
 */
export const priorities = { large: 5, background: 10 } as const

/**
 * Lowers the priority of the calling thread. Only Linux has priorities per thread. On other systems, the call would affect the whole
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
