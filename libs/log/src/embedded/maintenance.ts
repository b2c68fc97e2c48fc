// Runs housekeeping in the background: retention first, then compaction, one partition after the other.
import { type CompactionDeps, compactPartition } from './compaction.ts'
import type { Logger } from './logger.ts'
import { expire } from './retention.ts'
import type { Partition } from './state.ts'

export interface Maintenance {
  /** Runs one round now; rounds never overlap. Rejects after the round if a partition has failed. */
  run(): Promise<void>
  stop(): Promise<void>
}

export function createMaintenance(deps: CompactionDeps & { readonly logger: Logger; readonly intervalMs: number }): Maintenance {
  const { store, state, writer, clock, logger, intervalMs, signal } = deps
  let current: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  const maintainPartition = async (partition: Partition): Promise<void> => {
    const { spec } = partition.topic
    const { lost } = partition
    let more = spec.cleanup !== 'compact'
    while (more && !signal.aborted) {
      more = await writer.submit({ bytes: 0, bounded: false, apply: draft => expire(draft, store, partition, clock()) })
    }
    if (partition.lost !== lost)
      logger.error({ ...placeOf(partition), lost: partition.lost.slice(lost.length) }, 'Retention has passed damaged records')
    more = spec.cleanup !== 'delete'
    while (more && !signal.aborted) more = await compactPartition(deps, partition)
  }

  /** A round continues after a failed partition, so that it frees disk space of the other partitions. */
  const round = async (): Promise<void> => {
    const failures: unknown[] = []
    for (const { partitions } of state.topics.values()) {
      for (const partition of partitions) {
        await maintainPartition(partition).catch((error: unknown) => {
          failures.push(error)
          logger.error({ err: error, ...placeOf(partition) }, 'Housekeeping of a partition failed; it is retried')
        })
      }
    }
    if (failures.length === 1) throw failures[0]
    if (failures.length > 1) throw new AggregateError(failures, `Housekeeping failed for ${failures.length} partitions.`)
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
        .catch(() => {})
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

const placeOf = ({ topic, partition }: Partition) => ({ topic: topic.spec.name, partition })
