// Partitions that have halted because their stored data are damaged.
import type { AppError } from '@svc-server/errors'
import type { ConsumeOptions } from '../port.ts'
import type { Logger } from './logger.ts'
import type { Partition } from './state.ts'

/** Time before a halted partition is retried, unless a repair wakes it earlier. */
export const haltedMs = 10_000
const sayAgainMs = 60_000

export interface Halts {
  /** Logs the halt, at most once per minute. */
  say(partition: Partition, error: AppError): void
}

export function createHalts(logger: Logger, group: string, onPartitionHalted: ConsumeOptions['onPartitionHalted']): Halts {
  const said = new Map<Partition, { readonly message: string; readonly at: number }>()
  return {
    say(partition, error) {
      const last = said.get(partition)
      const now = performance.now()
      if (last?.message !== error.message || now - last.at >= sayAgainMs) {
        logger.error(
          { err: error, group, ...error.params },
          'A partition has stopped because its stored records are damaged; other partitions continue',
        )
        said.set(partition, { message: error.message, at: now })
      }
      onPartitionHalted?.({ topic: partition.topic.spec.name, partition: partition.partition }, error)
    },
  }
}
