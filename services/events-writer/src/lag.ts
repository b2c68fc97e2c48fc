// How old the oldest record is that is not stored yet. Offsets mean little to an operator; seconds do.
import type { EventLog } from '@svc-server/log'
import type { GaugeInstrument, Logger } from '@svc-server/telemetry'
import type { writerMetrics } from './metrics.ts'

export interface LagWatch {
  start(): void
  stop(): void
}

export interface LagWatchDeps {
  readonly log: EventLog
  readonly group: string
  readonly topics: readonly string[]
  readonly gauge: GaugeInstrument<(typeof writerMetrics)['lagSeconds']>
  readonly logger: Logger
}

const intervalMs = 5_000

export function watchLag({ log, group, topics, gauge, logger }: LagWatchDeps): LagWatch {
  let timer: NodeJS.Timeout | undefined

  async function refresh(): Promise<void> {
    for (const lag of await log.lag()) {
      if (lag.group !== group || !topics.includes(lag.topic)) continue
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
