// Compares two sums for a partition of spans.filled: the spans that the propagator published, and those that the writer received. The sum
// of published spans comes from the propagator's ledger records. The propagator commits each ledger record together with its publication,
// so the sums differ only by spans that the writer has not received yet.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { EventLog } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { repairLedgerGroup } from '@svc-server/schema/ledger-record'
import { ledgerNamesOf, noDestination } from './ledger-destination.ts'

/** Where the sums start: an offset of spans.staging, the number of a repair commit, and an offset of spans.filled. */
export interface PublicationsFrom {
  readonly staged: number
  readonly repairs: number
  readonly filled: number
}

export interface Publications {
  readonly published: number
  readonly stored: number
  /** The offsets from which the next count must start. The current count ends just before these offsets. */
  readonly next: PublicationsFrom
  /** False if the offset ranges of counted ledger rows overlap, for example because an operator moved an offset back. */
  readonly countedOnce: boolean
  /** Smallest offset of spans.filled in the counted ledger rows; undefined if there are no such rows. */
  readonly firstFilled: number | undefined
  /** Write time of the oldest counted ledger row; undefined if there are no such rows. */
  readonly oldestMs: number | undefined
}

export interface PublicationsDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
}

export const fromTheBeginning: PublicationsFrom = { staged: 0, repairs: 0, filled: 0 }

interface Side {
  readonly side: 'staged' | 'repairs' | 'filled'
  readonly n: string
  readonly total: string
  readonly first: string
  readonly next: string
  readonly overlaps: string
  readonly oldest: string
}

const sideOf = (side: Side['side'], sum: 'rows' | 'spans', topic: 'staging' | 'filled') => `
  SELECT '${side}' AS side, count() AS n, sum(counted) AS total, min(first_offset) AS first, max(last_offset) + 1 AS next,
    countIf(first_offset <= before) AS overlaps, min(toUnixTimestamp64Milli(written_at)) AS oldest
  FROM (
    SELECT first_offset, last_offset, ${sum} AS counted, written_at,
      max(toNullable(last_offset)) OVER (ORDER BY first_offset ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM ingest_ledger FINAL
    WHERE log_id = {${topic}Log:String} AND consumer_group = {${side}Group:String} AND topic = {${topic}:String} AND partition = {partition:UInt32}
      AND destination IN {${side}Names:Array(String)} AND first_offset >= {${side}From:UInt64})`

const query = [sideOf('staged', 'rows', 'staging'), sideOf('repairs', 'rows', 'staging'), sideOf('filled', 'spans', 'filled')].join(
  '\n  UNION ALL',
)

/** Rejects with a column_store_* AppError. */
export async function sumPublications(
  { log, columnStore }: PublicationsDeps,
  partition: number,
  from: PublicationsFrom,
): Promise<Publications> {
  const sides = await columnStore.query<Side>(query, {
    partition,
    staging: topicNames.staging,
    filled: topicNames.filled,
    stagingLog: log.logId(topicNames.staging),
    filledLog: log.logId(topicNames.filled),
    stagedGroup: groupNames.propagator,
    repairsGroup: repairLedgerGroup,
    filledGroup: groupNames.writer,
    stagedNames: [noDestination],
    repairsNames: [noDestination],
    filledNames: ledgerNamesOf('events_full'),
    stagedFrom: from.staged,
    repairsFrom: from.repairs,
    filledFrom: from.filled,
  })
  const found = new Map(sides.filter(({ n }) => n !== '0').map(side => [side.side, side]))
  const total = (side: Side['side']) => Number(found.get(side)?.total ?? 0)
  const next = (side: Side['side']) => Number(found.get(side)?.next ?? from[side])
  const firstFilled = found.get('filled')?.first
  const oldest = [...found.values()].map(side => Number(side.oldest))
  return {
    published: total('staged') + total('repairs'),
    stored: total('filled'),
    next: { staged: next('staged'), repairs: next('repairs'), filled: next('filled') },
    countedOnce: [...found.values()].every(({ overlaps }) => overlaps === '0'),
    firstFilled: firstFilled === undefined ? undefined : Number(firstFilled),
    oldestMs: oldest.length === 0 ? undefined : oldest.reduce((least, ms) => Math.min(least, ms)),
  }
}

/** Returns true if the sums `published` and `stored` both include all spans since the first record of spans.filled. */
export const reachBack = ({ countedOnce, firstFilled, oldestMs }: Publications, notBeforeMs: number): boolean =>
  countedOnce && (firstFilled ?? 0) === 0 && (oldestMs ?? notBeforeMs) >= notBeforeMs

/**
 * Returns a lower bound of the difference between the sums `published` and `stored`. The difference can be larger, because both sums can
 * grow between the readings of `before` and `after`. The caller reads `before`, and after that the end offsets of the topics spans.filled
 * and `ledger`. The caller reads `after` only when both topics have been read up to these offsets.
 */
export const differenceOf = (before: Publications, after: Publications): number =>
  Math.max(0, before.published - after.stored) + Math.max(0, before.stored - after.published)
