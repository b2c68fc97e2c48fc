// Passes fetched batches to `onBatch`, the handler of the log's user. `eachBatch`, the handler that kafkajs calls, waits for `onBatch`. A
// rebalance waits for `eachBatch`, so no earlier work still runs after the rebalance.
import { AppError, definitionOf, isRetryable } from '@svc-server/errors'
import type { EachBatchPayload, Consumer as KafkaConsumer } from 'kafkajs'
import type { Logger } from '../embedded/logger.ts'
import type { BatchOutcome, ConsumeOptions, FetchedBatch } from '../port.ts'
import { type Assignment, partitionKey } from './assignment.ts'
import { type ContextDeps, createContext } from './context.ts'
import { isNotRunning } from './failures.ts'
import { cutNext, heldBytes, type PartitionState, positionOf, rewind, take } from './partition.ts'
import type { Reader } from './reader.ts'

export interface DeliveryDeps extends ContextDeps {
  readonly consumer: KafkaConsumer
  /** Name of the group on the brokers. */
  readonly groupId: string
  readonly options: ConsumeOptions
  readonly reader: Reader
  readonly logger: Logger
  /** Maximum wait of one fetch. If `maxWaitMs` is longer, the wait takes several fetches. */
  readonly fetchWaitMs: number
  readonly stopping: AbortSignal
  readonly fail: (error: unknown) => void
  readonly onDelivered: (batch: FetchedBatch) => void
}

// Maximum bytes of fetched records that wait for the end of their batch. If an intent has announced where a batch ends, the batch must end
// exactly there. Batches are cut at `maxBatchBytes`, so only a bug can make the records of such a batch exceed this maximum.
const maxHeldBytes = 512 * 1024 * 1024

export function createDelivery(deps: DeliveryDeps) {
  const { consumer, groupId, options, transactions, reader, logger, fetchWaitMs, stopping } = deps
  const { group, maxWaitMs, maxBatchBytes } = options
  const enough = Math.min(options.minBytes, maxBatchBytes)
  const isOver = (assignment: Assignment): boolean => stopping.aborted || assignment.over

  /** Makes the next fetch begin at the group's position. */
  const seek = (state: PartitionState): void => {
    rewind(state)
    consumer.seek({ topic: state.topic.name, partition: state.partition, offset: String(state.expected) })
  }

  /** Pauses, then reads from the group's position. Looks up the position first if the last commit's outcome is unknown. */
  const rest = (assignment: Assignment, state: PartitionState, forMs: number): void => {
    const partitions = [{ topic: state.topic.name, partitions: [state.partition] }]
    seek(state)
    if (forMs <= 0 && !transactions.inDoubt(state.topic, state.partition)) return
    consumer.pause(partitions)
    const timer = setTimeout(() => {
      assignment.timers.delete(timer)
      resume().catch(error => {
        if (isOver(assignment) || isNotRunning(error)) return
        if (!isRetryable(error)) return deps.fail(error)
        rest(assignment, state, 1000)
      })
    }, forMs)
    assignment.timers.add(timer)
    const resume = async (): Promise<void> => {
      if (transactions.inDoubt(state.topic, state.partition)) {
        await transactions.settle(state.topic, state.partition)
        const found = (await reader.position(groupId, [state.topic])).get(state.topic)!.get(state.partition)
        if (isOver(assignment)) return
        state.committed = found
        seek(state)
      }
      if (!isOver(assignment)) consumer.resume(partitions)
    }
  }

  const handOver = async (
    assignment: Assignment,
    state: PartitionState,
    batch: FetchedBatch,
    payload: EachBatchPayload,
  ): Promise<BatchOutcome> => {
    const { topic, partition } = state
    const context = createContext(deps, assignment, state, {
      // `commitOffsetsIfNecessary` also commits metadata, even while the consumer is stopping. It rejects if the brokers reject the commit.
      commit: (offset, metadata) =>
        payload.commitOffsetsIfNecessary({
          topics: [{ topic: topic.name, partitions: [{ partition, offset: String(offset), metadata } as never] }],
        }),
      heartbeat: () => payload.heartbeat(),
    })
    deps.onDelivered(batch)
    try {
      return await options.onBatch(batch, context)
    } catch (error) {
      if (isOver(assignment)) {
        logger.warn({ err: error, group }, 'A batch handler failed while its consumer stopped')
        return { kind: 'done' }
      }
      if (!isRetryable(error)) throw error
      const afterMs = definitionOf(error).retryAfterMs?.[0] ?? 1000
      logger.warn(
        { err: error, group, topic: batch.topic, partition: batch.partition, afterMs },
        'a batch failed temporarily and is delivered again',
      )
      return { kind: 'pause', afterMs }
    } finally {
      context.end()
    }
  }

  const isDue = (state: PartitionState): boolean => {
    if (state.mustReach > positionOf(state)) {
      if (state.expected >= state.mustReach) return true
      if (heldBytes(state) > Math.max(maxHeldBytes, 4 * maxBatchBytes)) {
        throw new AppError(
          'offset_out_of_range',
          `${state.topic.spec.name}/${state.partition} must be delivered as a whole up to offset ${state.mustReach}, which needs more memory than is allowed.`,
          { group, topic: state.topic.spec.name, partition: state.partition, offset: positionOf(state) },
        )
      }
      return false
    }
    if (maxWaitMs <= fetchWaitMs || state.held.length === 0 || heldBytes(state) >= enough) return true
    state.waitingSince ??= performance.now()
    // The first held record can already have waited in the broker, for up to `fetchWaitMs`, before the consumer fetched it.
    return performance.now() - state.waitingSince + fetchWaitMs >= maxWaitMs
  }

  /**
   * Fetches the undelivered records again. Otherwise, the next fetch would begin after these records. On a quiet partition, such a fetch
   * returns nothing, so kafkajs would not call its handler, and these records would remain undelivered until the next record arrives.
   */
  const fetchAgain = (state: PartitionState): void => {
    const { waitingSince } = state
    seek(state)
    state.waitingSince = waitingSince
  }

  const deliver = async (assignment: Assignment, state: PartitionState, payload: EachBatchPayload): Promise<void> => {
    const { topic, partition } = state
    const highWatermark = Math.max(Number(payload.batch.highWatermark), state.expected)
    while (!isOver(assignment) && (state.held.length > 0 || positionOf(state) < state.expected)) {
      const before = positionOf(state)
      if (state.mustReach > before && state.expected < state.mustReach) return
      const { records, nextOffset } = cutNext(state, before, maxBatchBytes)
      const batch: FetchedBatch = { topic: topic.spec.name, partition, records, nextOffset, highWatermark }
      const outcome = await handOver(assignment, state, batch, payload)
      if (isOver(assignment) || assignment.lost) return
      const position = positionOf(state)
      if (outcome.kind === 'done' && position === nextOffset) continue
      // The log delivers the uncommitted rest of the batch again. Because of `mustReach`, this delivery ends at the end of the batch. If
      // the handler has committed no part of the batch, the log pauses first.
      state.mustReach = nextOffset
      const idle = position === before ? maxWaitMs : 0
      return rest(assignment, state, outcome.kind === 'pause' ? outcome.afterMs : idle)
    }
  }

  return {
    seek,

    /** The handler that kafkajs calls. */
    async eachBatch(assignment: Assignment | undefined, payload: EachBatchPayload): Promise<void> {
      const { batch } = payload
      const state = assignment?.partitions.get(partitionKey(batch.topic, batch.partition))
      // kafkajs also delivers records that it fetched before it noticed a rebalance. The handler ignores such records.
      if (!assignment || !state || isOver(assignment) || assignment.lost || payload.isStale()) return
      const work = (async () => {
        const gone = take(state, batch, group)
        if (gone) throw gone
        payload.resolveOffset(String(state.expected - 1))
        if (isDue(state)) {
          state.waitingSince = undefined
          await deliver(assignment, state, payload)
        } else if (state.mustReach <= positionOf(state)) fetchAgain(state)
      })().catch(deps.fail)
      assignment.running.add(work)
      await work
      assignment.running.delete(work)
      // kafkajs then joins the group again.
      if (assignment.lost && !stopping.aborted) throw assignment.lost
    },
  }
}
