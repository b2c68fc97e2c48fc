// Appends a process's counts to the log at intervals. Requests do not wait for these appends.
import { randomUUID } from 'node:crypto'
import type { NewRecord } from '@svc-server/log'
import { canaryProject, topicNames } from '@svc-server/modes/names'
import { encodeSdkUsage, type SdkUsage, sdkUsageKey } from '@svc-server/schema/sdk-usage'
import type { Logger } from '@svc-server/service/logs'
import type { Metrics } from '@svc-server/service/metrics'
import { type CountLimits, createCounts, type Use } from './counts.ts'
import { type sdkMetrics, sdkSeries } from './metrics.ts'

export interface SdkUsageCounter {
  /** Called when a request gets a response. If parts of a request take different paths, `count` is called once for each path. */
  count(use: Use): void
}

export interface SdkUsageReporter extends SdkUsageCounter {
  start(): void
  /** Resolves after the last append, even a failed one. */
  stop(): Promise<void>
}

export interface SdkUsageOptions {
  /** Resolves when they are durable. */
  readonly append: (topic: string, records: readonly NewRecord[]) => Promise<unknown>
  readonly clock: () => number
  readonly logger: Pick<Logger, 'warn'>
  readonly metrics: Pick<Metrics<typeof sdkMetrics>, 'sdkRequests'>
  readonly intervalMs?: number
  readonly limits?: CountLimits
}

/** A killed process loses the counts of at most one interval. */
const defaultIntervalMs = 30_000
const defaultLimits: CountLimits = { perProject: 50, inAll: 10_000 }

export function createSdkUsageReporter(options: SdkUsageOptions): SdkUsageReporter {
  const { append, clock, logger, metrics, intervalMs = defaultIntervalMs, limits = defaultLimits } = options
  const counts = createCounts(randomUUID(), limits)
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()

  async function say(): Promise<void> {
    const usage = counts.take()
    if (usage.length === 0) return
    try {
      await append(topicNames.sdkUsage, usage.map(recordOf))
      counts.settle()
    } catch (error) {
      counts.giveBack()
      logger.warn({ err: error }, 'SDK usage could not be appended to the log; it is retried with the next usage')
    }
  }

  function schedule(): void {
    timer = setTimeout(() => {
      running = say().then(() => {
        if (timer !== undefined) schedule()
      })
    }, intervalMs)
    timer.unref()
  }

  return {
    count(use) {
      if (use.projectId === canaryProject) return
      counts.count(use, clock())
      metrics.sdkRequests.inc(sdkSeries(use))
    },
    start: schedule,
    async stop() {
      clearTimeout(timer)
      timer = undefined
      await running
      await say()
    },
  }
}

const recordOf = (usage: SdkUsage): NewRecord => ({ key: Buffer.from(sdkUsageKey(usage)), value: encodeSdkUsage(usage) })
