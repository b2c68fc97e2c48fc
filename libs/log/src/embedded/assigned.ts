import { sayExpired } from '../expired.ts'
import type { AssignedPartition } from '../port.ts'
import { isOutOfRange, outOfRange } from './fetch.ts'
import type { Logger } from './logger.ts'
import { offsetKey, type Partition, type State } from './state.ts'

/** Throws `offset_out_of_range` if the group's position lies outside the log's range. */
export function assignedTo(
  { state, logger }: { readonly state: State; readonly logger: Logger },
  group: string,
  partitions: readonly Partition[],
): readonly AssignedPartition[] {
  const assigned = partitions.map((owned): AssignedPartition => {
    const { topic, partition, numbers } = owned
    const committed = state.offsets.get(offsetKey(group, topic.spec.name, partition))
    const position = committed?.offset ?? numbers.low
    if (isOutOfRange(owned, position)) throw outOfRange(owned, position, group)
    return {
      topic: topic.spec.name,
      partition,
      lowWatermark: numbers.low,
      highWatermark: numbers.high,
      ...(committed ? { committed } : {}),
    }
  })
  sayExpired(logger, group, assigned)
  return assigned
}
