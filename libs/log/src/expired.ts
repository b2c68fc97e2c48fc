// Retention can delete records before the first commit of a new group. This file counts the offsets that the group has missed. The group
// continues nevertheless: if it stopped, retention would delete even more.
import type { Logger } from './embedded/logger.ts'
import type { AssignedPartition } from './port.ts'

/**
 * If the group has not committed yet, returns the number of offsets that have already been deleted. On Kafka, some of these offsets can be
 * transaction markers or holes. If the group has committed, returns 0.
 */
export const expiredBefore = ({ committed, lowWatermark }: AssignedPartition): number => (committed === undefined ? lowWatermark : 0)

export function sayExpired(logger: Logger, group: string, partitions: readonly AssignedPartition[]): void {
  for (const at of partitions) {
    const lost = expiredBefore(at)
    const { topic, partition } = at
    if (lost === 0) continue
    logger.error({ group, topic, partition, lost, from: 0, to: lost - 1 }, 'Retention deleted records before their group had read them')
  }
}
