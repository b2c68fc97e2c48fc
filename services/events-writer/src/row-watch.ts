// Runs the audit of the tables in rounds. While there are keys to look up, each round begins immediately after the previous round.
import type { ColumnStore } from '@svc-server/column-store/port'
import { type AuditedPartition, type AuditStatus, createRowAudit } from '@svc-server/conservation/row-audit/row-audit'
import type { Denials } from '@svc-server/deletions/denials'
import { isRetryable } from '@svc-server/errors'
import type { ThreadSource } from '@svc-server/fairness/worker-pool'
import type { EventLog } from '@svc-server/log'
import type { WriteMode } from '@svc-server/modes/write-mode'
import type { Logger } from '@svc-server/service/logs'
import type { Metrics } from '@svc-server/service/metrics'
import type { writerMetrics } from './metrics.ts'

export interface RowWatchDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly logger: Logger
  readonly metrics: Metrics<typeof writerMetrics>
  readonly intervalMs: number
  readonly denials: Denials
  readonly share: number
  readonly maxRecordBytes: number
  readonly threads?: ThreadSource | undefined
  readonly writeMode: WriteMode
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

export interface RowWatch {
  own(partitions: readonly AuditedPartition[]): void
  status(): readonly AuditStatus[]
  start(): void
  stop(): Promise<void>
}

const reportedRanges = 5

/** Calls `onRound` after each round, because a round can find missing or restored rows. */
export function watchRows(deps: RowWatchDeps, onRound: () => void): RowWatch {
  const { logger, metrics, intervalMs } = deps
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let stopped = false

  const audit = createRowAudit({
    ...deps,
    onPassed({ topic, partition, from, until }) {
      metrics.auditPassedOffsets.inc({ topic }, until - from)
      logger.error({ topic, partition, first: from, last: until - 1 }, 'Retention deleted records before the audit looked for their rows')
    },
    onLost({ topic, partition }, { first, last, spans, example }) {
      metrics.auditLostSpans.inc({ topic }, spans)
      logger.error(
        { topic, partition, first, last, items: spans, example },
        'Retention deleted records whose rows are missing: they can no longer be stored from the log',
      )
    },
  })

  async function round(): Promise<boolean> {
    try {
      const busy = await audit.round()
      metrics.rowAudits.inc({ outcome: 'done' })
      return busy
    } catch (error) {
      if (stopped) return false
      metrics.rowAudits.inc({ outcome: isRetryable(error) ? 'unavailable' : 'failed' })
      logger.warn({ err: error }, 'The tables could not be audited')
      return false
    } finally {
      for (const status of audit.status()) report(status)
      onRound()
    }
  }

  function report({ topic, partition, lagMs, missing }: AuditStatus): void {
    metrics.auditLagSeconds.set({ topic, partition: String(partition) }, lagMs / 1000)
    if (missing.length === 0) return
    const ranges = missing.slice(0, reportedRanges).map(({ runs: _, sinceMs: __, spans: items, ...range }) => ({ items, ...range }))
    logger.error(
      { topic, partition, items: missing.reduce((sum, { spans }) => sum + spans, 0), ranges },
      'Spans, scores, run items or merged entities on the log are neither rows in every table of their mode nor dead letters: follow the runbook unaccounted-spans',
    )
  }

  function schedule(afterMs: number): void {
    if (stopped) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      running = round().then(busy => schedule(busy ? 0 : intervalMs))
    }, afterMs)
    timer.unref()
  }

  return {
    own: audit.own,
    status: audit.status,
    start: () => schedule(intervalMs),
    async stop() {
      stopped = true
      clearTimeout(timer)
      await audit.stop()
      await running
    },
  }
}
