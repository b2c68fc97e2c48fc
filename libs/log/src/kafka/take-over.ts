// Takes over assigned partitions: fences former owners, then reads the group's positions.
import { isRetryable } from '@svc-server/errors'
import type { Logger } from '../embedded/logger.ts'
import type { AssignedPartition } from '../port.ts'
import { isNotRunning, reasonOf } from './failures.ts'
import { createPartition, type PartitionState } from './partition.ts'
import { outOfRange, type Reader, type Watermarks } from './reader.ts'
import type { KafkaTopic } from './topics.ts'
import type { Transactions } from './transactions.ts'

export type Place = readonly [topic: KafkaTopic, partition: number]

export interface TakeOverDeps {
  readonly group: string
  /** Name of the group on the brokers. */
  readonly groupId: string
  readonly reader: Reader
  readonly transactions: Transactions
}

export interface TakenOver {
  readonly states: readonly PartitionState[]
  readonly assigned: readonly AssignedPartition[]
  readonly watermarks: ReadonlyMap<KafkaTopic, readonly Watermarks[]>
}

const retryMs = 250

/**
 * Returns the assigned partitions. `assignment` contains the names that topics have on the brokers. Topics that the log does not declare
 * are left out.
 */
export const placesOf = (
  assignment: Readonly<Record<string, readonly number[]>>,
  topics: ReadonlyMap<string, KafkaTopic>,
): readonly Place[] =>
  Object.entries(assignment).flatMap(([name, partitions]) => {
    const topic = topics.get(name)
    return topic ? partitions.map((partition): Place => [topic, partition]) : []
  })

/** Throws `offset_out_of_range` if the group's position lies outside the log's range. */
export async function takeOver(
  { group, groupId, reader, transactions }: TakeOverDeps,
  places: readonly Place[],
  signal: AbortSignal,
): Promise<TakenOver> {
  await transactions.takeOver(
    places.map(([topic, partition]) => ({ topic, partition })),
    signal,
  )
  const topics = [...new Set(places.map(([topic]) => topic))]
  const committed = topics.length > 0 ? await reader.position(groupId, topics) : new Map()
  const watermarks = topics.length > 0 ? await reader.watermarks(topics) : new Map()
  const assigned: AssignedPartition[] = []
  const states = places.map(([topic, partition]) => {
    const { low, high } = watermarks.get(topic)![partition]!
    const found = committed.get(topic)!.get(partition)
    const start = found?.offset ?? low
    if (start < low || start > high) throw outOfRange(topic, partition, start, { low, high }, group)
    assigned.push({ topic: topic.spec.name, partition, lowWatermark: low, highWatermark: high, ...(found ? { committed: found } : {}) })
    return createPartition(topic, partition, start, found)
  })
  return { states, assigned, watermarks }
}

/** Retries until the brokers respond. A member that gave up would keep its partitions without reading them. */
export async function untilTaken(
  take: () => Promise<void>,
  { isOver, logger, group }: { readonly isOver: () => boolean; readonly logger: Logger; readonly group: string },
): Promise<void> {
  for (;;) {
    try {
      return await take()
    } catch (error) {
      if (isOver() || isNotRunning(error)) return
      if (!isRetryable(error)) throw error
      logger.warn({ group, reason: reasonOf(error) }, 'A partition assignment waits for the brokers')
      await new Promise(resolve => setTimeout(resolve, retryMs))
    }
  }
}
