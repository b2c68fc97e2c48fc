// The work loops of an owner, one per partition. A loop calls `work` whenever the group has unread records. The result of `work` tells how
// long the loop pauses. If a commit's outcome is unknown, the loop determines the outcome before it calls `work` again.
import { setTimeout as sleep } from 'node:timers/promises'
import { isRetryable } from '@svc-server/errors'
import type { Logger } from '../embedded/logger.ts'
import { workOnce } from '../owned-partition.ts'
import type { OwnOptions } from '../port.ts'
import type { Assignment } from './assignment.ts'
import { type ContextDeps, createContext } from './context.ts'
import { reasonOf } from './failures.ts'
import type { Generation, Member } from './member.ts'
import { type PartitionState, positionOf } from './partition.ts'
import type { Reader } from './reader.ts'
import type { KafkaTopic } from './topics.ts'

export interface LoopDeps extends ContextDeps {
  readonly groupId: string
  readonly reader: Reader
  readonly logger: Logger
}

/** Time between two lookups of the partitions' ends while a partition is idle. */
const pollMs = 500
const retryMs = 1000

export const rest = async (ms: number, signal: AbortSignal): Promise<void> => {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => {})
}

export function createLoops(
  deps: LoopDeps,
  { work, topics: names }: Pick<OwnOptions, 'work' | 'topics'>,
  member: Member,
  generation: Generation,
  current: Assignment,
) {
  const { group, groupId, reader, transactions, logger } = deps
  const { signal } = current
  const topics = names.map(name => deps.topics.get(name)!)
  let polling: Promise<ReadonlyMap<KafkaTopic, readonly number[]>> | undefined

  /** Waits for `pollMs`, and then reads the end offsets of all topics. All partitions that wait for new records share one call. */
  const poll = () =>
    (polling ??= (async () => {
      await rest(pollMs, signal)
      polling = undefined
      return signal.aborted ? new Map() : reader.ends(topics)
    })())

  const askEnd = async ({ topic, partition }: PartitionState, known: number): Promise<number> => {
    try {
      return Math.max(known, (await poll()).get(topic)?.[partition] ?? 0)
    } catch (error) {
      if (!isRetryable(error)) throw error
      logger.warn({ group, reason: reasonOf(error) }, 'The end offsets of a group’s partitions cannot be read at the moment')
      return known
    }
  }

  /** Returns false if the commit's outcome is still unknown. */
  const settle = async (state: PartitionState): Promise<boolean> => {
    const { topic, partition } = state
    if (!transactions.inDoubt(topic, partition)) return true
    try {
      await transactions.settle(topic, partition)
      const found = await reader.position(groupId, [topic])
      state.committed = found.get(topic)!.get(partition)
      return true
    } catch (error) {
      if (!isRetryable(error)) throw error
      return false
    }
  }

  const turn = (state: PartitionState) => {
    const { topic, partition } = state
    const context = createContext(deps, current, state, {
      commit: (offset, metadata) => member.commit(generation, { topic: topic.name, partition }, offset, metadata),
      heartbeat: () => member.heartbeat(generation),
    })
    return workOnce({ group, topic: topic.spec.name, partition, work, context, isOver: () => signal.aborted, logger })
  }

  /** Resolves when the assignment has ended and no work runs. `end` is the last known end of the partition. */
  return async (state: PartitionState, end: number): Promise<void> => {
    while (!signal.aborted) {
      if (!(await settle(state))) {
        await rest(retryMs, signal)
        continue
      }
      const before = positionOf(state)
      if (before >= end) {
        end = await askEnd(state, end)
        continue
      }
      if (signal.aborted) return
      const outcome = await turn(state)
      // If the work committed nothing, the same records are still unread, and a pause avoids a busy loop.
      const idleMs = positionOf(state) === before ? pollMs : 0
      await rest(outcome.kind === 'pause' ? outcome.afterMs : idleMs, signal)
    }
  }
}
