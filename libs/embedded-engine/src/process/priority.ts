// Gives the engine a lower priority than its parent. At equal priority, a few large reads on two cores would delay the gateway's requests
// (ADR 0057).
import { readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/** With this value, a thread of the engine gets a third as much time as a thread that serves requests on the same core. */
const niceness = 5
const lowest = 19

/**
 * Must be called before the engine starts its threads, which inherit the priority. The lower priority applies to all threads, even those
 * that run inserts, because a thread without CAP_SYS_NICE could not raise its priority for an insert.
 */
export function goBehindParent(): void {
  const priority = Math.min(lowest, getPriority(0) + niceness)
  lower(0, priority)
  // Linux has a priority per thread, so the call above affects only the main thread.
  if (process.platform === 'linux') for (const thread of readdirSync('/proc/self/task')) lower(Number(thread), priority)
}

function lower(thread: number, priority: number): void {
  try {
    setPriority(thread, priority)
  } catch {
    // The call fails if the thread has ended or if the platform refuses. The failure is ignored, because the engine also works at its
    // parent's priority.
  }
}
