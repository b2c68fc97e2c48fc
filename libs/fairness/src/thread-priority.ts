// Lowers the priority of threads with work that can wait. On two cores, a large body would otherwise delay small requests, and a backlog
// would delay new rows (F26).
import { getPriority, setPriority } from 'node:os'
import { isMainThread } from 'node:worker_threads'

/**
 * Nice values. If a thread with the value `large` shares a core with a thread that serves requests, the first thread gets a third of the
 * CPU time of the second thread. With `background`, the first thread gets a tenth. On an idle core, both values allow full speed.
 */
export const priorities = { large: 5, background: 10 } as const

/**
 * Lowers the priority of the calling thread. Only Linux has priorities per thread. On other systems, the function changes nothing and
 * returns false.
 */
export function goBehindOthers(work: keyof typeof priorities): boolean {
  if (process.platform !== 'linux' || isMainThread) return false
  try {
    // The id 0 stands for the calling thread. libuv makes this system call on the calling thread.
    setPriority(0, Math.max(priorities[work], getPriority(0)))
    return true
  } catch {
    return false
  }
}
