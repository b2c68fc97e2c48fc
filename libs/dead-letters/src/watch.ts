// Reports how full the dead-letter topic is. An operator must notice when the topic is full, because a full topic drops its oldest records.
import type { EventLog } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import type { Logger } from '@svc-server/service/logs'

export interface DeadLetterWatch {
  start(): void
  stop(): void
  /** Rejects with the log's errors. */
  refresh(): Promise<void>
  /**
   * The operator's health page shows this text about dropped dead letters. The health check does not fail because of dropped dead letters.
   */
  readonly detail: string | null
}

export interface DeadLetterWatchDeps {
  readonly log: EventLog
  readonly logger: Logger
  readonly intervalMs: number
  readonly metrics: {
    readonly deadLetterBytes: { set(bytes: number): void }
    readonly deadLettersDropped: { inc(deadLetters: number): void }
  }
}

const mib = 1 << 20

export function watchDeadLetters({ log, logger, metrics, intervalMs }: DeadLetterWatchDeps): DeadLetterWatch {
  const lows = new Map<number, number>()
  let dropped = 0
  let bytes = 0
  let limitBytes: number | undefined
  let timer: NodeJS.Timeout | undefined

  async function refresh(): Promise<void> {
    const topic = (await log.describe()).find(({ spec }) => spec.name === topicNames.deadLetter)
    if (topic === undefined) return
    let gone = 0
    bytes = 0
    limitBytes = topic.spec.maxTopicBytes
    for (const partition of topic.partitions) {
      gone += Math.max(0, partition.lowWatermark - (lows.get(partition.partition) ?? partition.lowWatermark))
      lows.set(partition.partition, partition.lowWatermark)
      bytes += partition.bytes
    }
    metrics.deadLetterBytes.set(bytes)
    if (gone === 0) return
    dropped += gone
    metrics.deadLettersDropped.inc(gone)
    logger.warn(
      { dropped: gone, bytes, limitBytes },
      'Dead letters were deleted from their topic, because of its size limit, their age or a purge; only their number remains, in the ledger',
    )
  }

  const refreshed = () => void refresh().catch(error => logger.warn({ err: error }, 'The dead letters could not be read'))
  return {
    refresh,
    start() {
      refreshed()
      timer = setInterval(refreshed, intervalMs)
      timer.unref()
    },
    stop: () => clearInterval(timer),
    get detail() {
      if (dropped === 0) return null
      const limit = limitBytes === undefined ? '' : ` of ${Math.round(limitBytes / mib)}`
      return `${dropped} dead letters were deleted from their topic since the start; the topic has ${Math.round(bytes / mib)}${limit} MiB`
    },
  }
}
