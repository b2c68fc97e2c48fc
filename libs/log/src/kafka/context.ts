// A batch handler's context on Kafka. Commits contain the member's id and generation, so brokers reject the commits of a former owner.
import { AppError } from '@svc-server/errors'
import { declaredTopic } from '../declared.ts'
import { maxMetadata } from '../embedded/context.ts'
import type { PartitionContext } from '../port.ts'
import type { Assignment } from './assignment.ts'
import { answerMs, withinDeadline } from './deadline.ts'
import { isMembershipLost, reasonOf, toAppError } from './failures.ts'
import { type PartitionState, positionOf } from './partition.ts'
import type { KafkaTopic } from './topics.ts'
import type { Transactions } from './transactions.ts'

export interface ContextDeps {
  readonly group: string
  readonly topics: ReadonlyMap<string, KafkaTopic>
  readonly transactions: Transactions
  /** Called before each transaction, once for each topic to which the transaction writes. */
  readonly onTransactional: (topic: KafkaTopic) => void
}

/** Each request contains the member's generation. If the brokers refuse a request, its promise rejects with the error of the brokers. */
export interface Membership {
  commit(offset: number, metadata: string): Promise<unknown>
  heartbeat(): Promise<void>
}

export interface BatchContext extends PartitionContext {
  /** Must be called when the handler has returned. Later calls to the context throw. */
  end(): void
}

export function createContext(deps: ContextDeps, assignment: Assignment, state: PartitionState, member: Membership): BatchContext {
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
    return fenced(`this member no longer owns it (${reasonOf(error)})`, error)
  }
  const check = (offset: number, metadata: string): void => {
    guard()
    if (metadata.length > maxMetadata)
      throw new RangeError(`Commit metadata has ${metadata.length} characters; ${maxMetadata} are allowed.`)
    if (!Number.isSafeInteger(offset) || offset < 0) throw new RangeError(`Offset ${offset} cannot be committed.`)
  }

  // A commit has a deadline, because heartbeats continue during a commit: a commit without a response would keep the partition forever.
  const commitPlain = async (offset: number, metadata: string): Promise<void> => {
    try {
      await withinDeadline(member.commit(offset, metadata), answerMs, `The commit of ${topic.spec.name}/${partition}`)
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
          return [declaredTopic(deps.topics, name), records] as const
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
        // Repeats the last commit. The brokers accept this commit only if this member is still the owner.
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
        await member.heartbeat()
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
