// Gives the process of the engine a lower priority than the process that started it. Without the lower priority, a few large reads on two
// cores would delay the requests that the gateway serves (ADR 0057).
import { readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** An engine thread that shares a core with a thread that serves requests gets a third of that thread's time. */
const niceness = 5
const lowest = 19

/**
 * Lowers the priority of this process. Must be called before the engine starts its threads, which inherit the priority. Lowers the whole
 * process, because a thread without CAP_SYS_NICE could not raise its priority again for an insert.
 */
export function goBehindParent(): void {
  const priority = Math.min(lowest, getPriority(0) + niceness)
  lower(0, priority)
  // Only Linux has a priority per thread; there, the call above affects only the main thread.
  if (process.platform === 'linux') for (const thread of readdirSync('/proc/self/task')) lower(Number(thread), priority)
}

function lower(thread: number, priority: number): void {
  try {
    setPriority(thread, priority)
  } catch {
    // Ignores a thread that has ended and a platform that refuses: the engine also works at its parent's priority.
  }
}
