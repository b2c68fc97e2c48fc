// Runs an owner's work once. The embedded log and the Kafka log share this code.
import { definitionOf, isRetryable } from '@svc-server/errors'
import type { Logger } from './embedded/logger.ts'
import type { BatchOutcome, OwnedPartition, OwnOptions, PartitionContext } from './port.ts'

export interface Turn {
  readonly group: string
  readonly topic: string
  readonly partition: number
  readonly work: OwnOptions['work']
  readonly context: PartitionContext & { end(): void }
  /** True when the assignment has ended. `workOnce` then only logs a failure of the work, because the ended assignment can be the cause. */
  readonly isOver: () => boolean
  readonly logger: Logger
}

/**
 * Runs the work once. Rejects only with an error that is not retryable. After such an error, the caller must end the owner. There is
 * one exception: after `log_corrupt`, the embedded log can halt the partition instead of ending the owner.
 */
export async function workOnce({ group, topic, partition, work, context, isOver, logger }: Turn): Promise<BatchOutcome> {
  const owned: OwnedPartition = {
    topic,
    partition,
    signal: context.signal,
    get committed() {
      return context.committed
    },
    commit: (offset, metadata) => context.commit(offset, metadata),
    commitWith: (offset, metadata, appends) => context.commitWith(offset, metadata, appends),
  }
  try {
    return await work(owned)
  } catch (error) {
    if (isOver()) {
      logger.warn({ err: error, group, topic, partition }, 'Work on a partition failed while its assignment ended')
      return { kind: 'done' }
    }
    if (!isRetryable(error)) throw error
    const afterMs = definitionOf(error).retryAfterMs?.[0] ?? 1000
    logger.warn({ err: error, group, topic, partition, afterMs }, 'Work on a partition failed and is retried')
    return { kind: 'pause', afterMs }
  } finally {
    context.end()
  }
}
