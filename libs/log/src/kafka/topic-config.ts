// The configuration for topics that this log or a Kubernetes operator creates.
import type { TopicSpec } from '../port.ts'
import { maxRecordOverhead } from './record-size.ts'

export const durableReplicas = 3
export const durableInSync = 2
// Minimum bytes of a segment. Brokers accept segment sizes from 1 MiB, but a segment must have space for the largest record.
const smallestSegment = 16 * 1024 * 1024

export const topicConfigOf = (spec: TopicSpec, replication: number): Readonly<Record<string, string>> => ({
  // Windows and rows use the broker's time, because clients' clocks are not reliable.
  'message.timestamp.type': 'LogAppendTime',
  'cleanup.policy': spec.cleanup,
  'retention.ms': String(spec.retentionMs),
  'max.message.bytes': String(spec.maxRecordBytes + maxRecordOverhead),
  'min.insync.replicas': String(replication >= durableReplicas ? durableInSync : 1),
  'unclean.leader.election.enable': 'false',
  ...retentionBytesOf(spec),
})

/** Brokers limit the bytes of each partition. They delete only whole segments, so segments must be much smaller than the limit. */
export function retentionBytesOf({ dropsOldest, maxTopicBytes, partitions }: TopicSpec): Readonly<Record<string, string>> {
  if (!dropsOldest || maxTopicBytes === undefined) return {}
  const bytes = Math.floor(maxTopicBytes / partitions)
  return { 'retention.bytes': String(bytes), 'segment.bytes': String(Math.max(smallestSegment, Math.floor(bytes / 8))) }
}
