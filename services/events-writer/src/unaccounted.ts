// Keeps svc_unaccounted_spans: whoever owns a partition asks its ledger again and again whether every span below the committed offset is
// accounted for. Mostly only what was added since is read; after an assignment, after a fault and from time to time the whole. The owner of a
// partition of spans.filled asks the same of what was staged under its number.
import type { ColumnStore } from '@svc-server/column-store'
import { auditLedger, createStagingAudit, type LedgerFault, type StagingFault } from '@svc-server/conservation'
import type { AssignedPartition, EventLog } from '@svc-server/log'
import { topicNames } from '@svc-server/schema'
import type { Logger, Metrics } from '@svc-server/telemetry'
import type { writerMetrics } from './metrics.ts'

export interface UnaccountedWatch {
  /** All partitions that are this process's from now on. */
  assigned(partitions: readonly AssignedPartition[]): void
  start(): void
  /** Resolves when no audit runs any more. */
  stop(): Promise<void>
}

export interface UnaccountedDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly group: string
  readonly topics: readonly string[]
  readonly logger: Logger
  readonly metrics: Metrics<typeof writerMetrics>
  readonly intervalMs: number
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

interface Owned {
  readonly topic: string
  readonly partition: number
  /** Where the next audit begins; null: at the low watermark. */
  from: number | null
  /** Committed offset of the round before: a replica of the column store that is behind has what was stored before it by now. */
  until: number
  /** Spans that an audit found below `from`. */
  unaccounted: number
}

const roundsBetweenWhole = 20
const reportedFaults = 5

export function watchUnaccounted(deps: UnaccountedDeps): UnaccountedWatch {
  const { log, columnStore, group, topics, logger, metrics, intervalMs, clock } = deps
  const staging = topics.includes(topicNames.filled) ? createStagingAudit({ log, columnStore, clock }) : null
  let owned: readonly Owned[] = []
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let stopped = false
  let round = 0

  async function refresh(): Promise<void> {
    const current = owned
    const whole = round++ % roundsBetweenWhole === 0
    if (whole) for (const partition of current) partition.from = null
    const lows = current.some(({ from }) => from === null) ? await lowWatermarks() : undefined
    for (const topic of topics) {
      const mine = current.filter(partition => partition.topic === topic)
      const committed = mine.length > 0 ? await log.committed(group, topic) : undefined
      for (const partition of mine) {
        await audit(partition, lows)
        partition.until = committed?.get(partition.partition)?.offset ?? partition.until
        if (stopped || owned !== current) return
      }
      metrics.unaccountedSpans.set(
        { topic },
        mine.reduce((sum, { unaccounted }) => sum + unaccounted, 0),
      )
    }
    await auditStaging(whole)
  }

  async function auditStaging(whole: boolean): Promise<void> {
    if (staging === null || stopped) return
    const { unaccounted, faulty } = await staging.round({ whole })
    metrics.unaccountedSpans.set({ topic: topicNames.staging }, unaccounted)
    for (const fault of faulty) reportStaging(fault)
  }

  async function audit(partition: Owned, lows: ReadonlyMap<string, number> | undefined): Promise<void> {
    const whole = partition.from === null
    const from = partition.from ?? lows?.get(keyOf(partition)) ?? 0
    const { topic, until } = partition
    const { faults, unaccounted, coveredTo } = await auditLedger(
      { log, columnStore, group },
      { topic, partition: partition.partition, from, until },
      { whole },
    )
    partition.unaccounted = unaccounted
    partition.from = unaccounted === 0 ? coveredTo : null
    if (unaccounted > 0) report(partition, faults)
  }

  async function lowWatermarks(): Promise<ReadonlyMap<string, number>> {
    const described = await log.describe()
    return new Map(
      described.flatMap(({ spec, partitions }) =>
        partitions.map(({ partition, lowWatermark }) => [keyOf({ topic: spec.name, partition }), lowWatermark] as const),
      ),
    )
  }

  function report({ topic, partition, unaccounted }: Owned, faults: readonly LedgerFault[]): void {
    logger.error(
      { topic, partition, unaccounted, ranges: faults.slice(0, reportedFaults) },
      'The ledger does not account for all spans: svc check says which, the runbook unaccounted-spans what to do',
    )
  }

  function reportStaging({ partition, ranges, difference }: StagingFault): void {
    logger.error(
      { topic: topicNames.staging, partition, ranges: ranges.slice(0, reportedFaults), difference },
      'Staged spans are not accounted for: ranges that the ledger of the propagator lacks, or a difference between what it published and what is stored',
    )
  }

  function schedule(afterMs: number): void {
    if (stopped) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      running = refresh()
        .then(() => metrics.ledgerAudits.inc({ outcome: 'done' }))
        .catch(error => {
          metrics.ledgerAudits.inc({ outcome: 'failed' })
          logger.warn({ err: error }, 'The ledger could not be audited')
        })
        .finally(() => schedule(intervalMs))
    }, afterMs)
    timer.unref()
  }

  return {
    assigned(partitions) {
      // Co-assigned: what is filled here was staged under the same number.
      staging?.own(partitions.filter(({ topic }) => topic === topicNames.filled).map(({ partition }) => partition))
      owned = partitions
        .filter(({ topic }) => topics.includes(topic))
        .map(({ topic, partition, committed }) => ({ topic, partition, from: null, until: committed?.offset ?? 0, unaccounted: 0 }))
    },
    start() {
      schedule(intervalMs)
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}

const keyOf = ({ topic, partition }: { topic: string; partition: number }) => `${topic}/${partition}`
