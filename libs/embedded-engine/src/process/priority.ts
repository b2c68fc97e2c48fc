// Gives the process of the engine a lower priority than the process that started it. Otherwise, on two cores, the threads of a few large
// reads would delay the requests that the gateway serves (ADR 0057).
import { readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** If a thread of the engine shares a core with a thread that serves requests, it gets a third of that thread's time. */
const niceness = 5
const lowest = 19

/**
 * Lowers the priority of this process. It must be called before the engine starts its threads, which inherit it. The whole process is
 * lowered, because a thread without CAP_SYS_NICE could never return from the lower priority of a read to the priority of an insert.
 */
export function goBehindParent(): void {
  const priority = Math.min(lowest, getPriority(0) + niceness)
  lower(0, priority)
  // Only Linux has a priority for each thread, and there the call above affects only the main thread.
  if (process.platform === 'linux') for (const thread of readdirSync('/proc/self/task')) lower(Number(thread), priority)
}

function lower(thread: number, priority: number): void {
  try {
    setPriority(thread, priority)
  } catch {
    // The thread has ended, or the platform refuses: the engine also works at its parent's priority.
  }
}
