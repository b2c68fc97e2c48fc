// Determines up to which offset the audit can check the tables. A span beyond this offset may still be on its way to the tables, so it
// never counts as missing. The audit checks a record when the writer has acknowledged it. For a staged record, two more conditions apply.
// First, the propagator must have passed the record. Second, the writer must have acknowledged all records of spans.filled before an end
// offset. The audit looks up this end offset after the first condition has become true.
import type { EventLog } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { filledEndOf, filledReached } from '../consumed.ts'

export interface AuditedPartition {
  readonly topic: string
  readonly partition: number
}

interface Published {
  /**
   * The smaller of two committed offsets: the offset of the propagator and the offset of the writer. The audit reads both offsets first,
   * and then the end offsets of the topics.
   */
  readonly until: number
  /**
   * Each partition of `spans.staging` has a counterpart with the same number in `spans.filled`. The value is the end offset of the
   * counterpart. The audit reads this end offset only after the propagator's offset. This order ensures that all records that the
   * propagator published up to the propagator's offset come before the end offset.
   */
  readonly filled: number
  readonly takenMs: number
}

/**
 * An open transaction can hide committed records for this long. The end offset that the audit reads for `spans.filled` can therefore be too
 * low.
 */
const hiddenMs = { embedded: 0, kafka: 60_000 }

export function createTargets({ log, clock }: { readonly log: EventLog; readonly clock: () => number }) {
  const published = new Map<number, Published>()

  async function ofStaging<T extends AuditedPartition>(partitions: readonly T[], ends: Map<T, number>): Promise<void> {
    const committed = await log.committed(groupNames.propagator, topicNames.staging)
    const stored = await log.committed(groupNames.writer, topicNames.staging)
    const lags = await log.lag()
    for (const one of partitions) {
      const { partition } = one
      const waiting = published.get(partition)
      if (waiting !== undefined) {
        if (clock() - waiting.takenMs < hiddenMs[log.kind] || !filledReached(lags, partition, waiting)) continue
        ends.set(one, waiting.until)
        published.delete(partition)
      }
      const [until, ownUntil] = [committed.get(partition)?.offset, stored.get(partition)?.offset]
      const filled = filledEndOf(lags, partition)
      // Until both the propagator and the writer have committed an offset, no staged span can be checked.
      if (until === undefined || ownUntil === undefined || filled === undefined) continue
      published.set(partition, { until: Math.min(until, ownUntil), filled, takenMs: clock() })
    }
  }

  return {
    /** For each partition that can be checked now, returns the exclusive end of the range to check. */
    async of<T extends AuditedPartition>(partitions: readonly T[]): Promise<ReadonlyMap<T, number>> {
      const ends = new Map<T, number>()
      const byTopic = Map.groupBy(partitions, ({ topic }) => topic)
      for (const [topic, mine] of byTopic) {
        if (topic === topicNames.staging) {
          await ofStaging(mine, ends)
          continue
        }
        const committed = await log.committed(groupNames.writer, topic)
        for (const one of mine) {
          const offset = committed.get(one.partition)?.offset
          if (offset !== undefined) ends.set(one, offset)
        }
      }
      return ends
    },
  }
}
