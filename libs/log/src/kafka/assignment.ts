// What a member owns between two rebalances. Its end fences everything that was begun under it.
import type { PartitionState } from './partition.ts'

export interface Assignment {
  readonly partitions: ReadonlyMap<string, PartitionState>
  /** Aborts when the consumer stops, when a rebalance is noticed, or at the end. */
  readonly signal: AbortSignal
  readonly over: boolean
  /** An error of the group that a handler met: kafkajs must see it, to join again. */
  lost: unknown
  /** Handlers that run. */
  readonly running: Set<Promise<unknown>>
  readonly timers: Set<NodeJS.Timeout>
  /** A rebalance is under way: finish and begin nothing, but what is finished may still be committed. */
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
