// What a topic is made with, here or by an operator of Kubernetes.
import type { TopicSpec } from '../port.ts'
import { maxRecordOverhead } from './record-size.ts'

export const durableReplicas = 3
export const durableInSync = 2
// The smallest that brokers take is a mebibyte, and one must hold the largest record.
const smallestSegment = 16 * 1024 * 1024

/** What a topic is made with. */
export const topicConfigOf = (spec: TopicSpec, replication: number): Readonly<Record<string, string>> => ({
  // Windows are cut, and rows dated, by the time at which the broker took a record: no client's clock is
  // trusted.
  'message.timestamp.type': 'LogAppendTime',
  'cleanup.policy': spec.cleanup,
  'retention.ms': String(spec.retentionMs),
  'max.message.bytes': String(spec.maxRecordBytes + maxRecordOverhead),
  'min.insync.replicas': String(replication >= durableReplicas ? durableInSync : 1),
  'unclean.leader.election.enable': 'false',
  ...retentionBytesOf(spec),
})

/** The brokers' limit is of a partition. They delete whole segments, which must then be small beside it. */
export function retentionBytesOf({ dropsOldest, maxTopicBytes, partitions }: TopicSpec): Readonly<Record<string, string>> {
  if (!dropsOldest || maxTopicBytes === undefined) return {}
  const bytes = Math.floor(maxTopicBytes / partitions)
  return { 'retention.bytes': String(bytes), 'segment.bytes': String(Math.max(smallestSegment, Math.floor(bytes / 8))) }
}
