// An event log that records its appends and processing as spans (OpenTelemetry's messaging conventions).
import type { BatchOutcome, EventLog, FetchedBatch, NewRecord, OwnedPartition, PartitionContext } from '@svc-server/log'
import { type Attributes, isTracing, SpanKind, traced } from '@svc-server/tracing'

export function tracedLog(log: EventLog): EventLog {
  if (!isTracing()) return log
  const about = (topic: string, more: Attributes): Attributes => ({
    'messaging.system': log.kind === 'kafka' ? 'kafka' : 'svc_log',
    'messaging.destination.name': topic,
    ...more,
  })
  const sent = (topic: string, records: readonly NewRecord[]) => ({
    kind: SpanKind.PRODUCER,
    attributes: about(topic, { 'messaging.operation.type': 'send', 'messaging.batch.message_count': records.length }),
  })

  return {
    ...log,
    append: (topic, records) => traced(`send ${topic}`, sent(topic, records), () => log.append(topic, records)),
    consume: options =>
      log.consume({
        ...options,
        onBatch: (batch: FetchedBatch, context: PartitionContext): Promise<BatchOutcome> =>
          traced(
            `process ${batch.topic}`,
            {
              kind: SpanKind.CONSUMER,
              root: true,
              attributes: about(batch.topic, {
                'messaging.operation.type': 'process',
                'messaging.consumer.group.name': options.group,
                'messaging.destination.partition.id': String(batch.partition),
                'messaging.batch.message_count': batch.records.length,
                ...(batch.records[0] && { 'messaging.kafka.offset': batch.records[0].offset }),
              }),
            },
            () => options.onBatch(batch, context),
          ),
      }),
    // An owner keeps a partition for a long time. Each commit therefore gets a span, and the ownership as a whole gets none.
    own: options =>
      log.own({
        ...options,
        work: partition => options.work(withTracedCommits(partition)),
      }),
  }

  function withTracedCommits(partition: OwnedPartition): OwnedPartition {
    const { topic } = partition
    const commits: Pick<OwnedPartition, 'commitWith'> = {
      commitWith(offset, metadata, appends) {
        const messages = [...appends.values()].reduce((sum, records) => sum + records.length, 0)
        const attributes = about(topic, {
          'messaging.operation.type': 'settle',
          'messaging.destination.partition.id': String(partition.partition),
          'messaging.kafka.offset': offset,
          'messaging.batch.message_count': messages,
          'svc.topics': [...appends.keys()],
        })
        return traced(`settle ${topic}`, { kind: SpanKind.PRODUCER, attributes }, () => partition.commitWith(offset, metadata, appends))
      },
    }
    // The partition is the prototype of the result. The result thus inherits the getter `committed`, which returns the current offset.
    return Object.assign(Object.create(partition) as OwnedPartition, commits)
  }
}
