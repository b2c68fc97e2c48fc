// Logs the progress of reading a changelog.
import type { Logger } from '@svc-server/service/logs'

export interface Progress {
  applied: number
  skip(offset: number): void
  report(offset: number, end: number): void
  done(): void
}

interface ProgressOptions {
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly progressMs: number
  readonly name: string
  readonly topic: string
}

export function createProgress({ logger, progressMs, name, topic }: ProgressOptions, partition: number): Progress {
  const startedAt = performance.now()
  let reportedAt = startedAt
  let hasReported = false
  let skipped = 0
  let firstSkipped: number | undefined
  const seconds = () => Math.round((performance.now() - startedAt) / 100) / 10
  return {
    applied: 0,
    skip(offset) {
      firstSkipped ??= offset
      skipped += 1
    },
    report(offset, end) {
      if (offset >= end || performance.now() - reportedAt < progressMs) return
      reportedAt = performance.now()
      hasReported = true
      logger.info({ partition, offset, end, applied: this.applied, seconds: seconds() }, `reading ${name} from the log`)
    },
    done() {
      if (skipped > 0) {
        logger.warn({ partition, skipped, firstOffset: firstSkipped }, `Skipped invalid records of ${topic}`)
      }
      if (hasReported) logger.info({ partition, applied: this.applied, seconds: seconds() }, `${name} has been read from the log`)
    },
  }
}
