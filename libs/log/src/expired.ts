// Counts the records that a group without a commit has missed. A group without a commit begins at the log's low watermark. A low watermark
// above 0 means that retention deleted records before the group could read them. The log counts and logs the missed offsets, and the group
// continues: if it stopped, retention would delete even more records.
import type { Logger } from './embedded/logger.ts'
import type { AssignedPartition } from './port.ts'

/**
 * If a group has no commit, the number of offsets that were deleted before the group's start; otherwise 0. On Kafka, some of the deleted
 * offsets can be transaction markers or holes instead of records.
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
