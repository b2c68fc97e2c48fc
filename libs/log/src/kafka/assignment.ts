// A member's partitions between two rebalances. When the assignment ends, its work can no longer commit.
import type { PartitionState } from './partition.ts'

export interface Assignment {
  readonly partitions: ReadonlyMap<string, PartitionState>
  /** Aborts when the consumer stops, notices a rebalance, or loses the assignment. */
  readonly signal: AbortSignal
  readonly over: boolean
  /** A membership error that a handler has caught. The consumer rethrows this error to kafkajs. Then kafkajs joins the group again. */
  lost: unknown
  /** Handlers that are still running. */
  readonly running: Set<Promise<unknown>>
  readonly timers: Set<NodeJS.Timeout>
  /** Called when a rebalance is in progress. The member then begins no new work, but can still commit finished work. */
  warn(reason: unknown): void
  end(): void
}

export const partitionKey = (topicName: string, partition: number): string => `${topicName}/${partition}`

export function createAssignment(stopping: AbortSignal): Assignment & { readonly partitions: Map<string, PartitionState> } {
  const warned = new AbortController()
  let over = false
  const timers = new Set<NodeJS.Timeout>()
  return {
    partitions: new Map(),
    signal: AbortSignal.any([stopping, warned.signal]),
    get over() {
      return over
    },
    lost: undefined,
    running: new Set(),
    timers,
    warn: reason => warned.abort(reason),
    end() {
      over = true
      warned.abort()
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}
