// Threads for work that can wait go behind those that serve: two cores are what a large body and a backlog
// would else take away from everybody's small requests and rows, however fairly their work is queued (F26).
import { getPriority, setPriority } from 'node:os'
import { isMainThread } from 'node:worker_threads'

/**
 * Where both want the same core, a thread gets a third of what one that serves does when it works on `large`
 * requests, and a tenth in the `background`, where nobody waits. Where nobody wants the core, all of it.
 */
export const priorities = { large: 5, background: 10 } as const

/**
 * Puts the calling thread behind others. Only Linux has priorities of threads: elsewhere the number would be the
 * process's, and nothing changes. False: it is as before.
 */
export function goBehindOthers(work: keyof typeof priorities): boolean {
  if (process.platform !== 'linux' || isMainThread) return false
  try {
    // 0 is whoever calls: libuv asks from this thread, for this thread.
    setPriority(0, Math.max(priorities[work], getPriority(0)))
    return true
  } catch {
    return false
  }
}
