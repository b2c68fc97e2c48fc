// Limits the time of work on this thread. A busy machine must not shorten the time that work gets: otherwise a schema that takes a
// millisecond could be refused.
import { createContext, Script } from 'node:vm'

export class OutOfTime extends Error {}

const context = createContext({})
const script = new Script('work()')

const threadCpuMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** How many times as long work may take if it got too little processor time. */
const patience = 3

/**
 * Runs work, and aborts it at any point after its time limit. If the work got less than half of the processor's time until then, it is
 * started once more with a longer limit. Throws OutOfTime.
 */
export function withinTime<T>(work: () => T, maxMs: number, cpuMs = threadCpuMs): T {
  const before = cpuMs()
  const first = attempt(work, maxMs)
  if (first !== undefined) return first.result
  const second = cpuMs() - before < maxMs / 2 ? attempt(work, maxMs * patience) : undefined
  if (second !== undefined) return second.result
  throw new OutOfTime()
}

/** Returns undefined if the time was not enough. */
function attempt<T>(work: () => T, timeout: number): { readonly result: T } | undefined {
  context['work'] = work
  try {
    return { result: script.runInContext(context, { timeout }) as T }
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  }
}
