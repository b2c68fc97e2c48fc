import { isAppError } from '@svc-server/errors'
import type { AssignedPartition } from '@svc-server/log'
import { expiredBefore } from '@svc-server/log/expired'
import { topicNames } from '@svc-server/modes/names'
import type { OtherModes } from '@svc-server/modes/other-modes'
import { isEntity } from '@svc-server/schema/entity'
import type { LedgerRecord } from '@svc-server/schema/ledger-record'
import type { Logger } from '@svc-server/service/logs'
import type { Metrics } from '@svc-server/service/metrics'
import type { Chunk, Rejection } from '@svc-server/stream/chunk'
import { pathOf } from '@svc-server/stream/completeness'
import type { RunnerEvents } from '@svc-server/stream/runner'
import type { WriterHealth } from './health.ts'
import type { writerMetrics } from './metrics.ts'
import type { OpenRecord } from './records.ts'
import { deadLetteredItems } from './stages/ledger.ts'

export interface EventsDeps {
  /** Consumer group of the runner. */
  readonly group: string
  readonly logger: Logger
  readonly metrics: Metrics<typeof writerMetrics>
  readonly health: WriterHealth
  readonly clock: () => number
  /** Called for an unexpected error. Afterwards, the process must exit. */
  readonly onBug: (error: unknown) => void
}

const spanTopics: ReadonlySet<string> = new Set([topicNames.direct, topicNames.overflow, topicNames.staging, topicNames.filled])

const rangeOf = ({ topic, partition, first, last }: Chunk<unknown>) => ({ topic, partition, first, last })

/** Handles the runner's events for the topics whose records become rows, except the ledger topic. */
export function createRecordEvents(
  deps: EventsDeps & { readonly otherModes: OtherModes },
  onAssigned: (partitions: readonly AssignedPartition[]) => void,
): RunnerEvents<OpenRecord> {
  const { metrics, clock, otherModes } = deps
  const events = createSharedEvents(deps)

  /** Counts only spans. */
  function countSpans({ topic, items, rejected: unopened }: Chunk<OpenRecord>, rejected: readonly Rejection[]): void {
    if (!spanTopics.has(topic)) return
    const deadLettered = (rejections: readonly Rejection[]) =>
      deadLetteredItems(
        topic,
        rejections.filter(({ raw }) => !isEntity(raw)),
      )
    const lost = deadLettered(rejected)
    const opened = items.reduce((sum, { payload }) => sum + (payload.isEntity ? 0 : payload.items), 0)
    metrics.spans.inc({ outcome: 'dead_lettered' }, lost)
    // Records that were rejected before encoding are not counted as items.
    metrics.spans.inc({ outcome: 'stored' }, opened + deadLettered(unopened) - lost)
  }

  return {
    ...events,
    assigned(partitions) {
      events.assigned(partitions)
      onAssigned(partitions)
    },
    acknowledged(chunk, rejected) {
      const oldestMs = chunk.items[0]?.position.timestampMs
      if (oldestMs !== undefined) {
        metrics.endToEndSeconds.observe({ path: pathOf(chunk.topic) }, Math.max(0, clock() - oldestMs) / 1000)
      }
      countSpans(chunk, rejected)
      for (const [mode, records] of Map.groupBy(chunk.items, ({ payload }) => payload.writeMode)) {
        const others = otherModes.seen(mode, records.length)
        if (others > 0) metrics.otherModeRecords.inc({ mode: mode! }, others)
      }
      events.acknowledged(chunk, rejected)
    },
  }
}

/** Handles the runner's events for the ledger topic. */
export function createLedgerEvents(deps: EventsDeps): RunnerEvents<LedgerRecord> {
  const events = createSharedEvents(deps)
  return {
    ...events,
    acknowledged(chunk, rejected) {
      deps.metrics.ledgerRecords.inc({ outcome: 'stored' }, chunk.items.length)
      deps.metrics.ledgerRecords.inc({ outcome: 'dead_lettered' }, rejected.length)
      events.acknowledged(chunk, rejected)
    },
  }
}

function createSharedEvents({ group, logger, metrics, health, onBug }: EventsDeps) {
  const reader = health.reader(group)
  return {
    assigned(partitions: readonly AssignedPartition[]) {
      reader.assigned(partitions)
      for (const at of partitions) metrics.expiredRecords.inc({ topic: at.topic, partition: at.partition }, expiredBefore(at))
    },
    replaying(chunk, intent) {
      metrics.intentsReplayed.inc()
      logger.info({ ...rangeOf(chunk), versions: intent.versions }, 'Rebuilding a chunk from its open intent')
    },
    acknowledged(chunk: Chunk<unknown>, rejected: readonly Rejection[]) {
      metrics.chunks.inc({ outcome: 'acknowledged' })
      reader.progress(chunk)
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
    fenced(at, cause) {
      metrics.chunks.inc({ outcome: 'fenced' })
      logger.info(
        { topic: at.topic, partition: at.partition, reason: cause.message },
        'Another process owns the partition: this process drops its chunk',
      )
    },
    partitionHalted({ topic, partition }, cause) {
      reader.halt({ topic, partition }, cause.probeText)
      metrics.halts.inc({ code: cause.code })
      logger.error(
        { topic, partition, err: cause, help: cause.definition.help },
        'A partition has halted with its intent open: it continues automatically within a minute after the cause is removed',
      )
    },
    halted(cause) {
      if (!isAppError(cause)) {
        health.end('the writer stopped because of a defect')
        logger.fatal({ err: cause }, 'The writer stopped because of a defect')
        onBug(cause)
        return
      }
      health.end(cause.probeText)
      logger.error(
        { err: cause, help: cause.definition.help },
        'The writer has halted; the backlog waits on the log until an operator fixes the cause',
      )
    },
  } satisfies RunnerEvents<unknown>
}
