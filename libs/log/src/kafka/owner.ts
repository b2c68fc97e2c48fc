// An owner is a group member that owns partitions but receives no records. When a rebalance begins, the owner aborts its work, and
// continues its heartbeats until the work has ended. The owner joins the group again only after the work has ended.
import { setTimeout as sleep } from 'node:timers/promises'
import { isRetryable } from '@svc-server/errors'
import { declaredTopic } from '../declared.ts'
import type { Logger } from '../embedded/logger.ts'
import { sayExpired } from '../expired.ts'
import type { Consumer, OwnOptions } from '../port.ts'
import { type Assignment, createAssignment } from './assignment.ts'
import { type Connection, createClient, openCluster, patient } from './client.ts'
import type { ContextDeps } from './context.ts'
import { createEnding } from './ending.ts'
import { isMembershipLost, protocolError, reasonOf, toAppError } from './failures.ts'
import { createMember, type Generation, type Member } from './member.ts'
import { createLoops, rest } from './owner-loops.ts'
import type { Reader } from './reader.ts'
import { placesOf, takeOver, untilTaken } from './take-over.ts'

export interface OwnerDeps extends Omit<ContextDeps, 'group'> {
  readonly connection: Connection
  /** Name of the group on the brokers. */
  readonly groupId: string
  readonly reader: Reader
  readonly sessionTimeoutMs: number
  readonly rebalanceTimeoutMs: number
  readonly logger: Logger
}

const retryMs = 1000
const againMs = 20
/** The first join is retried for this long, so that brokers can start and elect coordinators. */
const joinWithinMs = 30_000

export async function startOwner(deps: OwnerDeps, options: OwnOptions, onEnd: () => void): Promise<Consumer> {
  const { topics, transactions, logger, sessionTimeoutMs } = deps
  const { group } = options
  const subscribed = options.topics.map(name => declaredTopic(topics, name))
  const byName = new Map(subscribed.map(topic => [topic.name, topic]))
  const heartbeatMs = Math.max(100, Math.floor(sessionTimeoutMs / 10))
  const { cluster, close } = await openCluster(createClient(deps.connection, patient))
  const member = createMember({ ...deps, cluster, topics: [...byName.keys()] })
  let running: Promise<void> | undefined

  const ending = createEnding(options, logger, async () => {
    await running
    await member.leave().catch(error => logger.warn({ group, reason: reasonOf(error) }, 'A consumer did not leave its group cleanly'))
    await transactions.close()
    await close().catch(() => {})
    onEnd()
  })
  const { signal: stopping, end, fail } = ending

  const join = async (until: number): Promise<Generation | undefined> => {
    while (!stopping.aborted) {
      try {
        return await member.join()
      } catch (error) {
        const failure = toAppError(error, `Joining group ${group}`)
        if (!isRetryable(failure) || performance.now() > until) throw failure
        if (isMembershipLost(error)) {
          // The group's rebalance waits for this member, so the pause before the next attempt to join is short.
          await rest(againMs, stopping)
          continue
        }
        logger.warn({ group, reason: reasonOf(error) }, 'Joining a consumer group failed; it is retried')
        await rest(retryMs, stopping)
        await cluster
          .connect()
          .then(() => cluster.refreshMetadata())
          .catch(() => {})
      }
    }
    return undefined
  }

  /** Resolves when the member's generation has ended and no work runs in it. */
  const hold = async (generation: Generation): Promise<void> => {
    const current = createAssignment(stopping)
    const places = placesOf(generation.assignment, byName)
    logger.info({ group, partitions: places.map(([topic, partition]) => `${topic.spec.name}/${partition}`) }, 'Joined the consumer group')
    const take = async (): Promise<void> => {
      const { states, assigned } = await takeOver({ ...deps, group }, places, current.signal)
      if (current.signal.aborted) return
      sayExpired(logger, group, assigned)
      await options.onAssigned?.(assigned)
      const run = createLoops({ ...deps, group }, options, member, generation, current)
      await Promise.all(states.map((state, index) => run(state, assigned[index]!.highWatermark).catch(fail)))
    }
    let isDone = false
    const work = untilTaken(take, { isOver: () => current.signal.aborted, logger, group })
      .catch(fail)
      .finally(() => {
        isDone = true
      })
    await beat(member, generation, current, { heartbeatMs, sessionTimeoutMs })
    logger.info({ group }, stopping.aborted ? 'Leaving the consumer group' : 'The consumer group is rebalancing')
    current.warn('the generation of the group has ended')
    // Heartbeats continue until the commits in progress have finished.
    while (!isDone) {
      await Promise.race([work, sleep(heartbeatMs)])
      if (isDone || current.over) continue
      await member.heartbeat(generation).catch(error => {
        if (isPutOut(error)) current.end()
      })
    }
    current.end()
  }

  let generation: Generation | undefined
  try {
    generation = await join(performance.now() + joinWithinMs)
  } catch (error) {
    await end()
    throw error
  }
  running = (async () => {
    while (generation !== undefined && !stopping.aborted) {
      await hold(generation)
      generation = await join(Number.POSITIVE_INFINITY)
    }
  })().catch(fail)
  return { stop: end }
}

const isRebalance = (error: unknown): boolean => protocolError(error) === 'REBALANCE_IN_PROGRESS'

/** True if the group has expelled the member. If the group only rebalances, the member keeps its partitions until it rejoins the group. */
const isPutOut = (error: unknown): boolean => ['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION'].includes(protocolError(error) ?? '')

/** Resolves when the group rebalances, when it may have expelled the member, or when the owner stops. */
async function beat(
  member: Member,
  generation: Generation,
  current: Assignment,
  { heartbeatMs, sessionTimeoutMs }: { readonly heartbeatMs: number; readonly sessionTimeoutMs: number },
): Promise<void> {
  for (let answeredAt = performance.now(); ; ) {
    await rest(heartbeatMs, current.signal)
    if (current.signal.aborted) return
    const sentAt = performance.now()
    try {
      await member.heartbeat(generation)
      answeredAt = sentAt
    } catch (error) {
      if (isPutOut(error)) return current.end()
      if (isRebalance(error)) return
      // For longer than the session timeout, no heartbeat has succeeded. The group has therefore expelled the member.
      if (performance.now() - answeredAt > sessionTimeoutMs) return current.end()
    }
  }
}
