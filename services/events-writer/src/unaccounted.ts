// Maintains the gauge svc_unaccounted_spans. A partition's owner regularly checks that the ledger accounts for every item below the
// committed offset. Most of these checks read only new ledger rows. After an assignment, after a fault and at intervals, a check reads the
// whole ledger. The owner also reads the log, and looks up the rows of each record in the tables. The owner of a partition of spans.filled
// also audits the partition of spans.staging with the same number.
import { auditLedger, type LedgerFault } from '@svc-server/conservation/audit'
import type { AuditStatus } from '@svc-server/conservation/row-audit/row-audit'
import { unaccountedSpans } from '@svc-server/conservation/row-audit/unaccounted'
import { createStagingAudit, type StagingFault } from '@svc-server/conservation/staging-audit'
import type { AssignedPartition } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import { type AccountedTogether, accountsOf } from './accounts.ts'
import type { Destination } from './destinations/destination.ts'
import { type RowWatchDeps, watchRows } from './row-watch.ts'

export interface UnaccountedWatch {
  assigned(partitions: readonly AssignedPartition[]): void
  start(): void
  stop(): Promise<void>
}

export interface UnaccountedDeps extends RowWatchDeps {
  readonly group: string
  readonly destinations: readonly Destination[]
}

interface Owned extends AccountedTogether {
  readonly partition: number
  /** Offset at which the next audit begins; null stands for the low watermark. */
  from: number | null
  /**
   * The audit ends at this offset. This offset is the committed offset of the previous round. Since then, even a lagging replica has
   * received all ledger rows below this offset.
   */
  until: number
  faults: readonly LedgerFault[]
}

const walkedTopics: ReadonlySet<string> = new Set([
  topicNames.direct,
  topicNames.overflow,
  topicNames.filled,
  topicNames.staging,
  topicNames.scores,
  topicNames.runItems,
  topicNames.entities,
])
const roundsBetweenWhole = 20
const reportedFaults = 5

export function watchUnaccounted(deps: UnaccountedDeps): UnaccountedWatch {
  const { log, columnStore, group, destinations, logger, metrics, intervalMs, clock } = deps
  const accounts = accountsOf(destinations)
  const sources = [...new Set(accounts.map(({ topic }) => topic))]
  const isWalked = (topic: string) => walkedTopics.has(topic)
  const staging = sources.includes(topicNames.filled) ? createStagingAudit({ log, columnStore, clock }) : null
  const rows = watchRows(deps, () => publish())
  let owned: readonly Owned[] = []
  let stagingFaults: readonly StagingFault[] = []
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let stopped = false
  let round = 0

  async function refresh(): Promise<void> {
    const current = owned
    const whole = round++ % roundsBetweenWhole === 0
    if (whole) for (const partition of current) partition.from = null
    const lows = current.some(({ from }) => from === null) ? await lowWatermarks() : undefined
    for (const topic of sources) {
      const mine = current.filter(partition => partition.topic === topic)
      const committed = mine.length > 0 ? await log.committed(group, topic) : undefined
      for (const partition of mine) {
        await audit(partition, lows)
        partition.until = committed?.get(partition.partition)?.offset ?? partition.until
        if (stopped || owned !== current) return
      }
    }
    await auditStaging(whole)
    publish()
  }

  /** A span that is missing in the ledger and in the tables is counted once. */
  function publish(): void {
    const audited = rows.status()
    const faultsOf = (topic: string, partition: number) =>
      owned.filter(one => one.topic === topic && one.partition === partition).flatMap(({ faults }) => faults)
    for (const topic of sources) {
      if (topic === topicNames.staging && staging !== null) continue
      const partitions = new Set(owned.filter(one => one.topic === topic).map(({ partition }) => partition))
      const spans = [...partitions].map(partition => unaccountedSpans(faultsOf(topic, partition), missingOf(audited, topic, partition)))
      metrics.unaccountedSpans.set({ topic }, sumOf(spans))
    }
    if (staging === null) return
    const topic = topicNames.staging
    const own = owned.filter(one => one.topic === topic)
    const partitions = new Set([...audited.filter(one => one.topic === topic), ...stagingFaults, ...own].map(({ partition }) => partition))
    // Some tables take staged spans directly, and other tables take staged spans after the end of a window. The gauge is the sum of the
    // missing rows of both kinds of tables.
    let spans = 0
    for (const partition of partitions) {
      const fault = stagingFaults.find(one => one.partition === partition)
      // The same spans can be counted in `difference` and among the unaccounted spans, so only the larger of the two numbers is added.
      const faults = [...(fault?.ranges ?? []), ...faultsOf(topic, partition)]
      spans += Math.max(fault?.difference ?? 0, unaccountedSpans(faults, missingOf(audited, topic, partition)))
    }
    metrics.unaccountedSpans.set({ topic }, spans)
  }

  async function auditStaging(whole: boolean): Promise<void> {
    if (staging === null || stopped) return
    const { faulty } = await staging.round({ whole })
    stagingFaults = faulty
    for (const fault of faulty) reportStaging(fault)
  }

  async function audit(partition: Owned, lows: ReadonlyMap<string, number> | undefined): Promise<void> {
    const whole = partition.from === null
    const from = partition.from ?? lows?.get(keyOf(partition)) ?? 0
    const { topic, until } = partition
    const { faults, unaccounted, coveredTo } = await auditLedger(
      { log, columnStore, group, destinations: partition.tables },
      { topic, partition: partition.partition, from, until },
      { whole, gaps: partition.gaps },
    )
    partition.faults = faults
    partition.from = unaccounted === 0 ? coveredTo : null
    if (unaccounted > 0) report(partition, unaccounted)
  }

  async function lowWatermarks(): Promise<ReadonlyMap<string, number>> {
    const described = await log.describe()
    return new Map(
      described.flatMap(({ spec, partitions }) =>
        partitions.map(({ partition, lowWatermark }) => [keyOf({ topic: spec.name, partition }), lowWatermark] as const),
      ),
    )
  }

  function report({ tables, topic, partition, faults }: Owned, unaccounted: number): void {
    logger.error(
      { tables, topic, partition, unaccounted, ranges: faults.slice(0, reportedFaults) },
      'The ledger does not account for all items: svc check shows which, then follow the runbook unaccounted-spans',
    )
  }

  function reportStaging({ partition, ranges, difference }: StagingFault): void {
    logger.error(
      { topic: topicNames.staging, partition, ranges: ranges.slice(0, reportedFaults), difference },
      'Staged spans are unaccounted for: the ledger of the propagator lacks ranges, or the published spans differ from the stored spans',
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
      // A span has the same partition number on spans.staging and on spans.filled. A group assigns partitions with equal numbers to one
      // owner, so the owner of the filled spans also counts the staged spans.
      const filled = partitions.filter(({ topic }) => topic === topicNames.filled).map(({ partition }) => partition)
      staging?.own(filled)
      stagingFaults = []
      rows.own([
        ...partitions.filter(({ topic }) => isWalked(topic) && topic !== topicNames.staging),
        ...(staging === null ? [] : filled.map(partition => ({ topic: topicNames.staging, partition }))),
      ])
      owned = accounts.flatMap(account =>
        partitions
          .filter(({ topic }) => topic === account.topic)
          .map(({ partition, committed }) => ({ ...account, partition, from: null, until: committed?.offset ?? 0, faults: [] })),
      )
    },
    start() {
      schedule(intervalMs)
      rows.start()
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await rows.stop()
      await running
    },
  }
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0)

const missingOf = (audited: readonly AuditStatus[], topic: string, partition: number) =>
  audited.find(one => one.topic === topic && one.partition === partition)?.missing ?? []

const keyOf = ({ topic, partition }: { topic: string; partition: number }) => `${topic}/${partition}`
