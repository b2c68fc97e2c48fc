// How old the oldest record is that is not stored yet. Offsets mean little to an operator; seconds do.
import type { EventLog, GroupLag } from '@svc-server/log'
import type { GaugeInstrument, Logger } from '@svc-server/telemetry'
import type { writerMetrics } from './metrics.ts'

/** A group of this process, and the topics that it reads. */
export interface TopicReader {
  readonly group: string
  readonly topics: readonly string[]
}

export const isReadBy = (readers: readonly TopicReader[], { group, topic }: Pick<GroupLag, 'group' | 'topic'>): boolean =>
  readers.some(reader => reader.group === group && reader.topics.includes(topic))

export interface LagWatch {
  start(): void
  stop(): void
}

export interface LagWatchDeps {
  readonly log: EventLog
  readonly readers: readonly TopicReader[]
  readonly gauge: GaugeInstrument<(typeof writerMetrics)['lagSeconds']>
  readonly logger: Logger
}

const intervalMs = 5_000

export function watchLag({ log, readers, gauge, logger }: LagWatchDeps): LagWatch {
  let timer: NodeJS.Timeout | undefined

  async function refresh(): Promise<void> {
    for (const lag of await log.lag()) {
      if (!isReadBy(readers, lag)) continue
      gauge.set({ topic: lag.topic, partition: lag.partition }, lag.lagMs / 1000)
    }
  }
  return {
    start() {
      timer = setInterval(() => {
        refresh().catch(error => logger.warn({ err: error }, 'The lag of the log could not be read'))
      }, intervalMs)
      timer.unref()
    },
    stop: () => clearInterval(timer),
  }
}
