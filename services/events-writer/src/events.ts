// What the runner reports, as metrics, log lines and health.
import { isAppError } from '@svc-server/errors'
import type { AssignedPartition } from '@svc-server/log'
import type { SpanBatch } from '@svc-server/schema'
import type { Chunk, RunnerEvents } from '@svc-server/stream'
import type { Logger, Metrics } from '@svc-server/telemetry'
import type { WriterHealth } from './health.ts'
import { deadLetteredSpans } from './ledger-entry.ts'
import type { writerMetrics } from './metrics.ts'

export interface EventsDeps {
  readonly logger: Logger
  readonly metrics: Metrics<typeof writerMetrics>
  readonly health: WriterHealth
  readonly clock: () => number
  readonly onAssigned: (partitions: readonly AssignedPartition[]) => void
  /** Something was thrown that nobody expected: the process must end. */
  readonly onBug: (error: unknown) => void
}

const rangeOf = ({ topic, partition, first, last }: Chunk<unknown>) => ({ topic, partition, first, last })

export function createRunnerEvents({ logger, metrics, health, clock, onAssigned, onBug }: EventsDeps): RunnerEvents<SpanBatch> {
  return {
    assigned: onAssigned,
    replaying(chunk, intent) {
      metrics.intentsReplayed.inc()
      logger.info({ ...rangeOf(chunk), versions: intent.versions }, 'An open intent is rebuilt')
    },
    acknowledged(chunk, rejected) {
      metrics.chunks.inc({ outcome: 'acknowledged' })
      health.progress(chunk)
      const oldestMs = chunk.items[0]?.position.timestampMs
      if (oldestMs !== undefined) metrics.endToEndSeconds.observe(Math.max(0, clock() - oldestMs) / 1000)
      const lost = deadLetteredSpans(rejected)
      // Records that were rejected before they were encoded are no items.
      const stored = chunk.items.reduce((sum, { payload }) => sum + payload.spanCount, 0) + deadLetteredSpans(chunk.rejected) - lost
      metrics.spans.inc({ outcome: 'dead_lettered' }, lost)
      metrics.spans.inc({ outcome: 'stored' }, stored)
      if (rejected.length === 0) return
      for (const { stage, reason } of rejected) metrics.deadLetters.inc({ stage, reason })
      const { offset, index, reason, message } = rejected[0]!
      logger.warn(
        { ...rangeOf(chunk), deadLetters: rejected.length, sample: { offset, index, reason, message } },
        'Items became dead letters',
      )
    },
    waiting(cause, ms) {
      metrics.retries.inc({ code: cause.code })
      metrics.backpressureSeconds.inc(ms / 1000)
    },
    deferred(at, cause) {
      metrics.chunks.inc({ outcome: 'deferred' })
      logger.warn(
        { topic: at.topic, partition: at.partition, err: cause, help: cause.definition.help },
        'A partition pauses with its intent open',
      )
    },
    fenced(at) {
      metrics.chunks.inc({ outcome: 'fenced' })
      logger.info({ topic: at.topic, partition: at.partition }, 'Another owner has the partition: its chunk is dropped here')
    },
    halted(cause) {
      metrics.halted.set(1)
      if (!isAppError(cause)) {
        health.halt('the writer stopped on a defect')
        logger.fatal({ err: cause }, 'The writer stopped on a defect')
        onBug(cause)
        return
      }
      health.halt(`${cause.message}. ${cause.definition.help}`)
      logger.error({ err: cause, help: cause.definition.help }, 'The writer has halted: the backlog waits on the log until this is mended')
    },
  }
}
