// What a batch's handler may do on Kafka: every commit names the member and its generation, so the group refuses those of a former owner.
import { AppError } from '@svc-server/errors'
import type { EachBatchPayload } from 'kafkajs'
import { MAX_METADATA } from '../embedded/context.ts'
import type { PartitionContext } from '../port.ts'
import type { Assignment } from './assignment.ts'
import { isMembershipLost, reasonOf, toAppError } from './failures.ts'
import { type PartitionState, positionOf } from './partition.ts'
import type { KafkaTopic } from './topics.ts'
import type { Transactions } from './transactions.ts'

/**
 * Longer than a commit takes with all its tries. A request of kafkajs that was on its way while its connection was put away is neither answered nor
 * timed out: the handler would wait, heartbeats would go on, and the partitions of this fetch would stand still until the next fault.
 */
const COMMIT_DEADLINE_MS = 30_000

/** Rejects with `log_unavailable` when the work takes longer. What comes of it later is nobody's. */
export async function withinDeadline<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new AppError('log_unavailable', `${what} was not answered within ${ms / 1000} s.`)), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
    work.catch(() => {})
  }
}

export interface ContextDeps {
  readonly group: string
  readonly topics: ReadonlyMap<string, KafkaTopic>
  readonly transactions: Transactions
  /** Named topics carry transactions from now on. */
  readonly onTransactional: (topic: KafkaTopic) => void
}

export interface BatchContext extends PartitionContext {
  /** The handler has returned: nothing may outlive it. */
  end(): void
}

export function createContext(
  deps: ContextDeps,
  assignment: Assignment,
  state: PartitionState,
  payload: Pick<EachBatchPayload, 'commitOffsetsIfNecessary' | 'heartbeat'>,
): BatchContext {
  const { group, transactions } = deps
  const { topic, partition } = state
  let ended = false

  const fenced = (why: string, cause?: unknown): AppError =>
    new AppError(
      'fenced',
      `${topic.spec.name}/${partition} cannot be committed: ${why}.`,
      { group, topic: topic.spec.name, partition },
      { cause },
    )
  const guard = (): void => {
    if (ended) throw fenced('its batch handler has returned')
    if (assignment.over) throw fenced(`group ${group} has been rebalanced`)
  }
  const lose = (error: unknown): AppError => {
    assignment.lost ??= error
    assignment.warn(error)
    return fenced(`this member has lost it (${reasonOf(error)})`, error)
  }
  const check = (offset: number, metadata: string): void => {
    guard()
    if (metadata.length > MAX_METADATA)
      throw new RangeError(`Commit metadata has ${metadata.length} characters; ${MAX_METADATA} are allowed.`)
    if (!Number.isSafeInteger(offset) || offset < 0) throw new RangeError(`Offset ${offset} cannot be committed.`)
  }

  /** Through the payload's own method: it carries metadata, works while the consumer stops, and rejects when the commit is refused. */
  const commitPlain = async (offset: number, metadata: string): Promise<void> => {
    const partitions = [{ partition, offset: String(offset), metadata } as never]
    try {
      const committing = payload.commitOffsetsIfNecessary({ topics: [{ topic: topic.name, partitions }] })
      await withinDeadline(committing, COMMIT_DEADLINE_MS, `The commit of ${topic.spec.name}/${partition}`)
    } catch (error) {
      throw isMembershipLost(error) ? lose(error) : toAppError(error, `Committing ${topic.spec.name}/${partition}`)
    }
  }
  const commit = async (offset: number, metadata: string): Promise<void> => {
    check(offset, metadata)
    await commitPlain(offset, metadata)
    state.committed = { offset, metadata }
  }

  return {
    signal: assignment.signal,
    get committed() {
      return state.committed
    },
    commit,
    async commitWith(offset, metadata, appends) {
      check(offset, metadata)
      const targets = [...appends]
        .filter(([, records]) => records.length > 0)
        .map(([name, records]) => {
          const target = deps.topics.get(name)
          if (!target) throw new Error(`Topic ${name} is not declared.`)
          return [target, records] as const
        })
      if (targets.length === 0) return commit(offset, metadata)
      for (const [target] of targets) deps.onTransactional(target)
      await transactions.commit({
        topic,
        partition,
        offset,
        metadata,
        appends: targets,
        before: state.committed,
        // The same position with the same metadata again: the group refuses it unless this member is its owner.
        async confirm() {
          guard()
          await commitPlain(positionOf(state), state.committed?.metadata ?? '')
        },
      })
      state.committed = { offset, metadata }
    },
    async heartbeat() {
      guard()
      try {
        await payload.heartbeat()
      } catch (error) {
        if (!isMembershipLost(error)) throw toAppError(error, `The heartbeat of group ${group}`)
        assignment.warn(error)
        throw fenced(`group ${group} is being rebalanced`, error)
      }
    },
    end() {
      ended = true
    },
  }
}
