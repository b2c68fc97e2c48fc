// What consumers and owners of the embedded log have in common: where their group stands, and how they end.
// They are stopped, fail, or another one takes the group over.
import { AppError } from '@svc-server/errors'
import type { CommittedOffset, Consumer } from '../port.ts'
import type { Logger } from './logger.ts'
import { offsetKey, type Partition, type State } from './state.ts'

export interface OwnedConsumer extends Consumer {
  /** Another consumer has taken the group: running work may no longer commit. */
  fence(): void
}

export interface Membership {
  /** Aborts when it ends, whyever. */
  readonly signal: AbortSignal
  readonly isFenced: () => boolean
  committed(partition: Partition): CommittedOffset | undefined
  /**
   * Without a commit it stays where the assignment put it: retention that passes it is an error, not a jump.
   */
  position(partition: Partition): number
  /** For good. */
  fail(error: unknown): void
  /** `onEnd` is called once nothing of `work` runs any more. */
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
      // Work that is dropped because of a fence or a stop ends with an error; nobody is to be told, but it
      // must not vanish.
      logger.warn({ err: error, group }, 'Work of a group failed while its member ended')
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
