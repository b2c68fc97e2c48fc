// A member of a group is a consumer or an owner of the embedded log. A member ends when it is stopped, when it fails, or when another
// member takes over the group. A `Membership` ends its member in these cases, and also returns the position of the member's group.
import { AppError } from '@svc-server/errors'
import type { CommittedOffset, Consumer } from '../port.ts'
import type { Logger } from './logger.ts'
import { offsetKey, type Partition, type State } from './state.ts'

export interface OwnedConsumer extends Consumer {
  /** Called when another consumer takes over the group. Running work can then no longer commit. */
  fence(): void
}

export interface Membership {
  /** Aborts when the member ends, for any reason. */
  readonly signal: AbortSignal
  readonly isFenced: () => boolean
  committed(partition: Partition): CommittedOffset | undefined
  /**
   * Returns the group's committed offset. Before the group's first commit, returns the low watermark that the partition had when the
   * member was created. If retention has deleted the next records, the member fails instead of skipping them.
   */
  position(partition: Partition): number
  /** Ends the member permanently. */
  fail(error: unknown): void
  /** Calls `onEnd` once `work` has ended. */
  run(work: () => Promise<void>, onEnd: () => void): OwnedConsumer
}

export function createMembership(
  { state, logger }: { readonly state: State; readonly logger: Logger },
  { group, onFatal }: { readonly group: string; onFatal(error: unknown): void },
  partitions: readonly Partition[],
): Membership {
  const ending = new AbortController()
  const starts = new Map(partitions.map(partition => [partition, partition.numbers.low]))
  let fenced = false

  const committed: Membership['committed'] = ({ topic, partition }) => state.offsets.get(offsetKey(group, topic.spec.name, partition))

  function fail(error: unknown): void {
    if (ending.signal.aborted) {
      // If a member is fenced or stopped during its work, the work ends with an error. This error is only logged.
      logger.warn({ err: error, group }, 'A batch failed while its consumer stopped')
      return
    }
    ending.abort()
    onFatal(error)
  }

  return {
    signal: ending.signal,
    isFenced: () => fenced,
    committed,
    position: partition => committed(partition)?.offset ?? starts.get(partition)!,
    fail,
    run(work, onEnd) {
      const running = work().catch(fail).finally(onEnd)
      return {
        fence() {
          fenced = true
          fail(new AppError('fenced', `Another consumer of group ${group} has taken over.`, { group }))
        },
        async stop() {
          ending.abort()
          await running
        },
      }
    },
  }
}
