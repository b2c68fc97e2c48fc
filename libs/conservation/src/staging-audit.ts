// Audits spans.staging repeatedly. The propagator's ledger must cover every range of spans.staging below the propagator's committed offset,
// and the writer must receive as many items as the propagator published. The audit does not report faults before the ledger covers the
// audited time, because a late ledger or writer is no fault.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { EventLog, GroupLag } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { auditLedger, type LedgerFault } from './audit.ts'
import { endsOf, filledReached, type LogEnds, ledgerReached } from './consumed.ts'
import { noDestination } from './ledger-destination.ts'
import { differenceOf, fromTheBeginning, type Publications, type PublicationsFrom, reachBack, sumPublications } from './publications.ts'

export interface StagingAudit {
  /** Sets the partitions of `spans.filled` that this process owns. The audit covers the same partition numbers of `spans.staging`. */
  own(partitions: readonly number[]): void
  /** Rejects with column_store_* and log_* AppErrors. */
  round(options: {
    /** Audits everything on the log, not only new records. */
    readonly whole: boolean
  }): Promise<StagingRound>
}

interface StagingRound {
  readonly unaccounted: number
  readonly faulty: readonly StagingFault[]
}

export interface StagingFault {
  readonly partition: number
  readonly ranges: readonly LedgerFault[]
  /** Absolute difference between the number of published spans and the number of stored spans. */
  readonly difference: number
}

export interface StagingAuditDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

interface Snapshot {
  readonly takenMs: number
  /** The propagator's offset. */
  readonly until: number
  readonly publications: Publications
  /** The ends of the topics. They are read after all other values of the snapshot, and are undefined until then. */
  ends: LogEnds | undefined
  /**
   * True if the ledger had all rows for this snapshot at the end of a round. The audit then waits at least until the next round before it
   * checks the snapshot, so that all replicas have these rows.
   */
  isReached: boolean
}

interface Base {
  readonly from: PublicationsFrom
  readonly sinceMs: number
}

interface Owned {
  readonly partition: number
  /** Where the next audit starts; null for the low watermark. */
  from: number | null
  /**
   * The point from which the audit counts published and stored spans. If possible, this is the latest point at which both numbers were
   * equal. If the audit knows no such point, it counts from the beginning of the topics, or from a point at which neither number changed
   * between two readings. Null while the audit has not found a point; the audit then reports no difference between the two numbers.
   */
  base: Base | null
  snapshot: Snapshot | null
  ranges: readonly LedgerFault[]
  difference: number
}

const { staging, filled } = topicNames
// Another producer's open transaction can hide a committed record until the brokers abort this transaction.
const hiddenMs = { embedded: 0, kafka: 60_000 }

export function createStagingAudit({ log, columnStore, clock }: StagingAuditDeps): StagingAudit {
  let owned: readonly Owned[] = []
  let lows: readonly number[] = []
  let retentionMs = 0
  const group = groupNames.propagator

  /** Called rarely, because on Kafka it sends a request to every broker. */
  async function describe(): Promise<void> {
    const topics = await log.describe()
    lows = topics.find(({ spec }) => spec.name === staging)?.partitions.map(({ lowWatermark }) => lowWatermark) ?? []
    retentionMs = topics.find(({ spec }) => spec.name === filled)?.spec.retentionMs ?? 0
  }

  async function judge(one: Owned, { until, publications: before }: Snapshot): Promise<void> {
    const { partition, from, base } = one
    const range = { topic: staging, partition, from: from ?? lows[partition] ?? 0, until }
    const audit = await auditLedger({ log, columnStore, group, destinations: [noDestination] }, range, { whole: from === null })
    one.ranges = audit.faults
    one.from = audit.unaccounted === 0 ? audit.coveredTo : null

    const after = await sumPublications({ log, columnStore }, partition, base?.from ?? fromTheBeginning)
    const agree = before.published === after.published && before.stored === after.stored
    one.difference = base !== null && after.countedOnce ? differenceOf(before, after) : 0
    const isOver = base !== null && clock() - base.sinceMs > retentionMs
    // If neither the published sum nor the stored sum changed between the two readings, the point of the second reading can become the new
    // base. But if the published sum differs from the stored sum, the audit keeps the old base until `isOver` is true. By then, the log has
    // deleted the records that are needed to correct the difference.
    if (agree && (one.difference === 0 || isOver)) one.base = { from: after.next, sinceMs: clock() }
    else if (!after.countedOnce) one.base = null
  }

  async function take(one: Owned, until: number): Promise<Snapshot> {
    const publications = await sumPublications({ log, columnStore }, one.partition, one.base?.from ?? fromTheBeginning)
    const takenMs = clock()
    if (one.base === null && reachBack(publications, takenMs - retentionMs)) one.base = { from: fromTheBeginning, sinceMs: takenMs }
    return { takenMs, until, publications, ends: undefined, isReached: false }
  }

  function noteReach(one: Owned, lags: readonly GroupLag[]): void {
    const { partition, snapshot } = one
    if (snapshot === null) return
    snapshot.ends ??= endsOf(lags, partition)
    const { ends } = snapshot
    snapshot.isReached ||= ends !== undefined && ledgerReached(lags, ends) && filledReached(lags, partition, ends)
  }

  return {
    own(partitions) {
      owned = partitions.map(partition => ({ partition, from: null, base: null, snapshot: null, ranges: [], difference: 0 }))
    },

    async round({ whole }) {
      const current = owned
      if (current.length === 0) return { unaccounted: 0, faulty: [] }
      if (whole) for (const one of current) one.from = null
      const committed = await log.committed(group, staging)
      if (current.some(({ from }) => from === null)) await describe()
      for (const one of current) {
        const { snapshot } = one
        if (snapshot?.isReached && clock() - snapshot.takenMs >= hiddenMs[log.kind]) {
          await judge(one, snapshot)
          one.snapshot = null
        }
        const until = committed.get(one.partition)?.offset
        // If the partition has no committed offset, all its staged spans still wait for the propagator, and there is nothing to audit.
        if (one.snapshot === null && until !== undefined) one.snapshot = await take(one, until)
      }
      const lags = await log.lag()
      for (const one of current) noteReach(one, lags)
      return resultOf(owned)
    },
  }
}

function resultOf(owned: readonly Owned[]): StagingRound {
  const faulty = owned
    .filter(({ ranges, difference }) => ranges.length > 0 || difference > 0)
    .map(({ partition, ranges, difference }) => ({ partition, ranges, difference }))
  // If the ledger has no row for the publication of spans that the writer stored, these spans are in `difference` and in `ranges`. The
  // maximum counts them once.
  const spansOf = ({ ranges, difference }: StagingFault) =>
    Math.max(
      difference,
      ranges.reduce((sum, { spans }) => sum + spans, 0),
    )
  return { unaccounted: faulty.reduce((sum, fault) => sum + spansOf(fault), 0), faulty }
}
