// A group that has committed nothing begins where the log begins. Where that is above 0, retention has taken
// records before the group saw them. The group goes on from there all the same: waiting would only let
// retention take more. But it is counted, and said.
import type { Logger } from './embedded/logger.ts'
import type { AssignedPartition } from './port.ts'

/**
 * Offsets below the one at which a group without a commit begins; on brokers some of them may have been
 * markers, or holes.
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
