// Housekeeping in the background: retention first, then compaction, one partition after the other and in small transactions.
import { type CompactionDeps, compactPartition } from './compaction.ts'
import type { Logger } from './logger.ts'
import { expire } from './retention.ts'

export interface Maintenance {
  /** One round over all topics, now. Rounds never overlap. */
  run(): Promise<void>
  stop(): Promise<void>
}

export function createMaintenance(deps: CompactionDeps & { readonly logger: Logger; readonly intervalMs: number }): Maintenance {
  const { store, state, writer, clock, logger, intervalMs, signal } = deps
  let current: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  const round = async (): Promise<void> => {
    for (const { spec, partitions } of state.topics.values()) {
      for (const partition of partitions) {
        let more = spec.cleanup !== 'compact'
        while (more && !signal.aborted) {
          more = await writer.submit({ bytes: 0, bounded: false, apply: draft => expire(draft, store, partition, clock()) })
        }
        more = spec.cleanup !== 'delete'
        while (more && !signal.aborted) more = await compactPartition(deps, partition)
      }
    }
  }

  const run = (): Promise<void> => {
    const next = current.then(round)
    current = next.catch(() => {})
    return next
  }

  const schedule = (): void => {
    if (signal.aborted) return
    timer = setTimeout(() => {
      run()
        .catch((error: unknown) => logger.error({ err: error }, 'housekeeping of the event log failed; it is tried again'))
        .finally(schedule)
    }, intervalMs)
    timer.unref()
  }
  schedule()

  return {
    run,
    async stop() {
      clearTimeout(timer)
      await current
    },
  }
}
