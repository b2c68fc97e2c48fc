// The state of an assigned partition.
import type { AppError } from '@svc-server/errors'
import type { Batch } from 'kafkajs'
import type { CommittedOffset, LogRecord } from '../port.ts'
import { outOfRange, toLogRecord } from './reader.ts'
import { payloadBytesOf } from './record-size.ts'
import type { KafkaTopic } from './topics.ts'

export interface Cut {
  readonly records: readonly LogRecord[]
  readonly nextOffset: number
}

export interface PartitionState {
  readonly topic: KafkaTopic
  readonly partition: number
  /** The group's position when the assignment began. The group keeps this position until its first commit. */
  readonly start: number
  committed: CommittedOffset | undefined
  /** Offset of the next fetch. */
  expected: number
  /**
   * The offset at which the next batch must end, regardless of the limits. It is set if an intent announces the next batch, or if the batch
   * was delivered before but not committed.
   */
  mustReach: number
  /** Fetched records that were not delivered yet, because their batch is incomplete or not due. */
  held: LogRecord[]
  /** The time (`performance.now()`) at which the held records began to wait for further records. */
  waitingSince: number | undefined
}

export const createPartition = (
  topic: KafkaTopic,
  partition: number,
  start: number,
  committed: CommittedOffset | undefined,
): PartitionState => ({
  topic,
  partition,
  start,
  committed,
  expected: start,
  mustReach: 0,
  held: [],
  waitingSince: undefined,
})

export const positionOf = ({ committed, start }: PartitionState): number => committed?.offset ?? start

/** Makes the next fetch begin at the group's position. */
export function rewind(state: PartitionState): void {
  state.expected = positionOf(state)
  state.held = []
  state.waitingSince = undefined
}

/** Adds the batch's records to the held records. Returns an error if records before the batch were deleted. */
export function take(state: PartitionState, batch: Batch, group: string): AppError | undefined {
  const { topic, partition, expected } = state
  const from = Number((batch as unknown as { readonly fetchedOffset: string }).fetchedOffset)
  if (from > expected) return outOfRange(topic, partition, expected, { low: from, high: Number(batch.highWatermark) }, group)
  for (const message of batch.messages) {
    if (Number(message.offset) >= expected) state.held.push(toLogRecord(topic.spec.name, partition, message))
  }
  state.expected = Math.max(expected, Number(batch.lastOffset()) + 1)
  return undefined
}

export const heldBytes = ({ held }: PartitionState): number => held.reduce((sum, record) => sum + payloadBytesOf(record), 0)

/**
 * Removes the first batch from the held records. If `mustReach` is beyond `position`, the batch ends at the offset `mustReach`. Otherwise,
 * the batch has at least one record, and only a batch of a single record can have more than `maxBatchBytes`.
 */
export function cutNext(state: PartitionState, position: number, maxBatchBytes: number): Cut {
  const { held, mustReach, expected } = state
  if (mustReach > position) {
    const end = held.findIndex(({ offset }) => offset >= mustReach)
    const records = held.splice(0, end < 0 ? held.length : end)
    return { records, nextOffset: mustReach }
  }
  let bytes = 0
  let count = 0
  for (const record of held) {
    bytes += payloadBytesOf(record)
    if (count > 0 && bytes > maxBatchBytes) break
    count++
  }
  const records = held.splice(0, count)
  return { records, nextOffset: held[0]?.offset ?? expected }
}
