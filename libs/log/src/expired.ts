// Counts the records that a group without a commit has missed. Such a group begins at the low watermark of the log. A low watermark above 0
// means that retention deleted records before the group saw them. The group continues anyway, because retention would delete even more
// records while it waits. The log counts the missed offsets and writes an error line.
import type { Logger } from './embedded/logger.ts'
import type { AssignedPartition } from './port.ts'

/**
 * Number of offsets below the start of a group without a commit. On Kafka, some of these offsets may have been transaction markers or
 * holes.
 */
export const expiredBefore = ({ committed, lowWatermark }: AssignedPartition): number => (committed === undefined ? lowWatermark : 0)

export function sayExpired(logger: Logger, group: string, partitions: readonly AssignedPartition[]): void {
  for (const at of partitions) {
    const lost = expiredBefore(at)
    const { topic, partition } = at
    if (lost === 0) continue
    logger.error(
      { group, topic, partition, lost, from: 0, to: lost - 1 },
      'retention has taken records before their group had read any of them',
    )
  }
}
