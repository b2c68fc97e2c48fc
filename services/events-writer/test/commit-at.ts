// Commits an offset without a running writer. A test can thus act as an operator who moves an offset, or as an older writer.
import type { EmbeddedLog } from '@svc-server/log/embedded'
import { groupNames, type TopicName, topicNames } from '@svc-server/modes/names'

/** No writer may run during the call. */
export async function commitAt(
  log: EmbeddedLog,
  offset: number,
  metadata = '',
  at = 0,
  topic: TopicName = topicNames.direct,
): Promise<void> {
  const done = Promise.withResolvers<void>()
  const consumer = await log.consume({
    group: groupNames.writer,
    topics: [topic],
    minBytes: 1,
    maxWaitMs: 1,
    maxBatchBytes: 1e6,
    concurrency: 2,
    onBatch: async ({ partition }, context) => {
      if (partition === at) await context.commit(offset, metadata).then(done.resolve, done.reject)
      return { kind: 'pause', afterMs: 60_000 }
    },
    onFatal: done.reject,
  })
  await done.promise
  await consumer.stop()
}
