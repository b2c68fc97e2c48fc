// Audits whether the ledger accounts for every span of a range. Finds ranges of spans that have no ledger row, and ledger rows whose
// numbers do not add up.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { EventLog } from '@svc-server/log'
import { ledgerNamesOf, mayBeginLater } from './ledger-destination.ts'
import { spansOnLog } from './spans-on-log.ts'

export interface AuditRange {
  readonly topic: string
  readonly partition: number
  /**
   * The start of the range: the partition's oldest offset, or the end of an earlier audit. The audit ignores ledger rows that begin below
   * this offset.
   */
  readonly from: number
  /** The exclusive end of the range, which is at most the committed offset. */
  readonly until: number
}

export interface LedgerFault {
  readonly kind: 'gap' | 'imbalance'
  readonly first: number
  readonly last: number
  /** If the records of a gap are deleted, each offset of the gap counts as one span. */
  readonly spans: number
}

export interface LedgerAudit {
  readonly faults: readonly LedgerFault[]
  readonly unaccounted: number
  /** Offset at which the next audit can begin. */
  readonly coveredTo: number
  readonly spans: number
}

export interface AuditDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly group: string
  /**
   * Destinations whose ledger rows the audit reads: all tables that get rows from the topic. The ledger rows of a stage that fills a topic
   * have an empty text as the destination.
   */
  readonly destinations: readonly string[]
}

interface Summary {
  readonly covered_to: string
  readonly total: string
  /** Faulty ranges, sorted by offset. */
  readonly faulty: readonly (readonly [first: string, last: string, covered: string, spans: string, accounted: string])[]
}

// Further faults are omitted, because an operator would not read more than a thousand.
const maxFaults = 1000
// Maximum bytes of records to read in gaps of the ledger. Without this limit, the audit would read the whole log after a loss of the
// ledger.
const maxGapBytes = 64 << 20

// With `toNullable`, the maximum of no rows is NULL. NULL + 1 is NULL, and `ifNull` turns this NULL into 0. Without `toNullable`, this
// maximum would be 0, so the result would be 1 instead of 0. The expression max(last_offset + 1) would not help, because the column store
// computes it as max(last_offset) + 1.
const rowsOfRange = `
  SELECT first_offset, last_offset, ingest_ledger.spans AS spans, rows + dead_lettered + denied AS accounted,
    greatest({from:UInt64}, ifNull(
      max(toNullable(last_offset)) OVER (ORDER BY first_offset ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) + 1, 0)) AS covered
  FROM ingest_ledger FINAL
  WHERE log_id = {logId:String} AND consumer_group = {group:String} AND topic = {topic:String} AND partition = {partition:UInt32}
    AND destination IN {destinations:Array(String)} AND first_offset >= {begin:UInt64} AND first_offset < {until:UInt64} AND last_offset >= {from:UInt64}`

export interface AuditOptions {
  /**
   * If true, the audit includes ledger rows whose range of offsets begins before `from`. Retention may have deleted the first records of
   * such a range, so that `from` is an offset within the range.
   */
  readonly whole: boolean
  /**
   * If true (the default), the audit reports ranges without a ledger row. Callers use false if some records of the topic are not stored in
   * these tables.
   */
  readonly gaps?: boolean
}

/** Rejects with column_store_* and log_* AppErrors. */
export async function auditLedger(deps: AuditDeps, range: AuditRange, { whole, gaps = true }: AuditOptions): Promise<LedgerAudit> {
  const { log, columnStore, group } = deps
  const { topic, partition, from, until } = range
  const destinations = deps.destinations.flatMap(ledgerNamesOf)
  if (from >= until) return { faults: [], unaccounted: 0, coveredTo: from, spans: 0 }
  const params = { logId: log.logId(topic), group, topic, partition, destinations, from, until, begin: whole ? 0 : from }
  const [summary] = await columnStore.query<Summary>(
    `SELECT greatest({from:UInt64}, ifNull(max(toNullable(last_offset)) + 1, 0)) AS covered_to, sum(spans) AS total,
       groupArraySortedIf(${maxFaults})(
         (first_offset, last_offset, covered, spans, accounted), first_offset > covered OR spans != accounted) AS faulty
     FROM (${rowsOfRange})`,
    params,
  )
  const coveredTo = Number(summary?.covered_to ?? from)

  async function hasRowBefore(offset: number): Promise<boolean> {
    const [row] = await columnStore.query<{ n: string }>(
      `SELECT count() AS n FROM ingest_ledger
       WHERE log_id = {logId:String} AND consumer_group = {group:String} AND topic = {topic:String} AND partition = {partition:UInt32}
         AND destination IN {destinations:Array(String)} AND first_offset < {offset:UInt64}`,
      { logId: params.logId, group, topic, partition, destinations, offset },
    )
    return row?.n !== '0'
  }

  const faults: LedgerFault[] = []
  const gap = async (first: number, end: number) => {
    if (deps.destinations.every(mayBeginLater) && !(await hasRowBefore(first))) return
    const { spans, unread } = await spansOnLog(log, { topic, partition, from: first, until: end }, { maxBytes: maxGapBytes })
    if (spans + unread > 0) faults.push({ kind: 'gap', first, last: end - 1, spans: spans + unread })
  }
  for (const [firstOffset, last, coveredBefore, received, accounted] of summary?.faulty ?? []) {
    const first = Number(firstOffset)
    const covered = Number(coveredBefore)
    if (gaps && first > covered) await gap(covered, first)
    const spans = Math.abs(Number(received) - Number(accounted))
    if (spans > 0) faults.push({ kind: 'imbalance', first, last: Number(last), spans })
  }
  if (gaps && coveredTo < until) await gap(coveredTo, until)
  return { faults, unaccounted: faults.reduce((sum, { spans }) => sum + spans, 0), coveredTo, spans: Number(summary?.total ?? 0) }
}
