// A writer can begin a chunk before the writer knows of a deletion. This code checks whether all writers have finished such chunks. A
// writer's deny list is at most ten seconds old, so ten seconds after the command, every writer knows of the deletion. Two seconds later,
// the executor notes the ends of the partitions. All records of such chunks are before these ends, so the chunks are finished when the
// writers have committed up to the ends.
import type { EventLog } from '@svc-server/log'

/** The end of each partition (the offset of its next record), by topic. */
export type LogEnds = ReadonlyMap<string, readonly { readonly partition: number; readonly end: number }[]>

type Readable = Pick<EventLog, 'describe' | 'committed'>

export async function endsOf(log: Readable, topics: readonly string[]): Promise<LogEnds> {
  const described = (await log.describe()).filter(({ spec }) => topics.includes(spec.name))
  return new Map(
    described.map(({ spec, partitions }) => [
      spec.name,
      partitions.map(({ partition, lowWatermark, highWatermark }) => ({
        partition,
        end: highWatermark === lowWatermark ? 0 : highWatermark,
      })),
    ]),
  )
}

export async function isPast(log: Readable, group: string, ends: LogEnds): Promise<boolean> {
  for (const [topic, partitions] of ends) {
    const committed = await log.committed(group, topic)
    if (partitions.some(({ partition, end }) => (committed.get(partition)?.offset ?? 0) < end)) return false
  }
  return true
}
