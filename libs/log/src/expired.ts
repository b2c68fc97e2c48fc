// Counts the records that a group without a commit has missed. Such a group begins at the log's low watermark. If the low watermark is
// above 0, retention has deleted records before the group could read them. The log counts the missed offsets and logs an error, and the
// group continues, because retention would delete even more records if the group stopped.
import type { Logger } from './embedded/logger.ts'
import type { AssignedPartition } from './port.ts'

/**
 * If a group has no commit, the number of offsets that were deleted before the group's start; otherwise 0. On Kafka, some of these offsets
 * can be transaction markers or holes instead of records.
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
