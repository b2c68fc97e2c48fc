// Limits how long work can occupy this thread. If other processes took most of the CPU time, the work gets a second attempt. Without the
// second attempt, the API on a busy machine could refuse a schema that takes a millisecond to check.
import { createContext, Script } from 'node:vm'

export class OutOfTime extends Error {}

const context = createContext({})
const script = new Script('work()')

const threadCpuMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** A second attempt gets the time limit multiplied by this factor. */
const patience = 3

/**
 * Aborts the work when its time limit has passed, even in the middle of a computation. If the thread got a processor for less than half of
 * the time limit, the function starts the work again with a longer limit. Throws OutOfTime.
 */
export function withinTime<T>(work: () => T, maxMs: number, cpuMs = threadCpuMs): T {
  const before = cpuMs()
  const first = attempt(work, maxMs)
  if (first !== undefined) return first.result
  const second = cpuMs() - before < maxMs / 2 ? attempt(work, maxMs * patience) : undefined
  if (second !== undefined) return second.result
  throw new OutOfTime()
}

function attempt<T>(work: () => T, timeout: number): { readonly result: T } | undefined {
  context['work'] = work
  try {
    return { result: script.runInContext(context, { timeout }) as T }
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  }
}
