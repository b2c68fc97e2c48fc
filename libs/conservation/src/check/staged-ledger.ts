// Checks the ledger rows of a partition of spans.staging.
import { setTimeout as sleep } from 'node:timers/promises'
import type { ColumnStore } from '@svc-server/column-store/port'
import type { EventLog } from '@svc-server/log'
import { groupNames } from '@svc-server/modes/names'
import { auditLedger, type LedgerFault } from '../audit.ts'
import { endsOf, filledReached, ledgerReached } from '../consumed.ts'
import { noDestination } from '../ledger-destination.ts'
import { differenceOf, fromTheBeginning, reachBack, sumPublications } from '../publications.ts'
import type { OffsetRange } from '../spans-on-log.ts'

export interface StagedLedgerDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly clock: () => number
  readonly onProgress?: ((line: string) => void) | undefined
}

const group = groupNames.propagator
/**
 * Time to wait before a difference is reported. On Kafka, an open transaction hides all later commits until the brokers abort the
 * transaction. A difference can therefore be temporary.
 */
const confirmAfterMs = { embedded: 0, kafka: 60_000 }

export interface LedgerVerdict {
  readonly ranges: readonly LedgerFault[]
  /** Difference between the numbers of published and stored spans, as a positive number or 0. */
  readonly difference: number
}

/** While the writer or a reader of the ledger topic has unread records, spans without a ledger row count as waiting and not as a fault. */
export async function judgeLedger(deps: StagedLedgerDeps, range: OffsetRange, retentionMs: number): Promise<LedgerVerdict> {
  const verdict = await judgeOnce(deps, range, retentionMs)
  const confirmMs = confirmAfterMs[deps.log.kind]
  if (confirmMs === 0 || (verdict.ranges.length === 0 && verdict.difference === 0)) return verdict
  deps.onProgress?.(`${range.topic}/${range.partition}: the ledger differs, looking again in ${confirmMs / 1000} s`)
  await sleep(confirmMs)
  return judgeOnce(deps, range, retentionMs)
}

async function judgeOnce({ log, columnStore, clock }: StagedLedgerDeps, range: OffsetRange, retentionMs: number): Promise<LedgerVerdict> {
  const { partition } = range
  const before = await sumPublications({ log, columnStore }, partition, fromTheBeginning)
  const lags = await log.lag()
  const ends = endsOf(lags, partition)
  if (ends === undefined || !ledgerReached(lags, ends)) return { ranges: [], difference: 0 }
  const audit = await auditLedger({ log, columnStore, group, destinations: [noDestination] }, range, { whole: true })
  if (!filledReached(lags, partition, ends) || !reachBack(before, clock() - retentionMs)) return { ranges: audit.faults, difference: 0 }
  const after = await sumPublications({ log, columnStore }, partition, fromTheBeginning)
  return { ranges: audit.faults, difference: after.countedOnce ? differenceOf(before, after) : 0 }
}
