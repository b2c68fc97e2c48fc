// Counts dead letters that have left their topic. Dead letters may leave before the records they describe: by age, by the topic's size, or
// through an operator's purge. Dead letters of a newer release are unreadable and count here, too. The ledger still has the number of dead
// letters for every range, so spans without a readable dead letter do not count as lost.
import type { ColumnStore } from '@svc-server/column-store/port'
import { type DeadLetters, recordKey } from '@svc-server/dead-letters/by-record'
import type { EventLog } from '@svc-server/log'
import { ledgerNamesOf } from './ledger-destination.ts'
import type { OffsetRange } from './spans-on-log.ts'

export interface ExpiredDeadLetters {
  /**
   * Range of all ledger ranges that overlap the request. The caller must report the dead letters of this whole range.
   * Null when no ledger range overlaps.
   */
  readonly extent: { readonly from: number; readonly until: number } | null
  /**
   * Reports that `spans` spans of a record have a dead letter. The caller reports all records before its first
   * `take`.
   */
  found(offset: number, spans: number): void
  /**
   * Returns how many of `spans` at this offset, neither stored nor with a dead letter, the ledger counts as
   * dead-lettered. Each is returned once.
   */
  take(offset: number, spans: number): number
}

interface LedgerRange {
  readonly first: number
  readonly last: number
  left: number
}

/**
 * Reports dead letters before the compared range. The first ledger range may begin earlier, when retention or a limit
 * cuts the range. Dead letters of the records before it still exist, and must not excuse real losses.
 */
export function tellBefore(gone: ExpiredDeadLetters, deadLetters: DeadLetters, { topic, partition, from }: OffsetRange): void {
  for (let offset = gone.extent?.from ?? from; offset < from; offset++) {
    const found = deadLetters.get(recordKey(topic, partition, offset))
    if (found !== undefined) gone.found(offset, found.whole ? found.wholeSpans : found.spans.size)
  }
}

interface LedgerOf {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly group: string
  /** Table of the ledger rows. Empty for a stage that fills a topic. */
  readonly destination: string
}

const none: ExpiredDeadLetters = { extent: null, found() {}, take: () => 0 }

/**
 * `isPossible` is true when dead letters have left the topic. Otherwise a span without its dead letter is lost,
 * whatever the ledger counts.
 */
export async function expiredDeadLetters(
  { log, columnStore, group, destination }: LedgerOf,
  { topic, partition, from, until }: OffsetRange,
  isPossible: boolean,
): Promise<ExpiredDeadLetters> {
  if (!isPossible || from >= until) return none
  const destinations = ledgerNamesOf(destination)
  const rows = await columnStore.query<{ first: string; last: string; dead: string }>(
    `SELECT first_offset AS first, last_offset AS last, dead_lettered AS dead FROM ingest_ledger FINAL
     WHERE log_id = {logId:String} AND consumer_group = {group:String} AND topic = {topic:String} AND partition = {partition:UInt32}
       AND destination IN {destinations:Array(String)} AND dead_lettered > 0 AND last_offset >= {from:UInt64} AND first_offset < {until:UInt64}
     ORDER BY first_offset`,
    { logId: log.logId(topic), group, topic, partition, destinations, from, until },
  )
  const ranges: LedgerRange[] = rows.map(({ first, last, dead }) => ({ first: Number(first), last: Number(last), left: Number(dead) }))

  function rangeOf(offset: number): LedgerRange | undefined {
    let low = 0
    let high = ranges.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (ranges[middle]!.last < offset) low = middle + 1
      else high = middle
    }
    const range = ranges[low]
    return range !== undefined && range.first <= offset ? range : undefined
  }

  return {
    extent: ranges.length === 0 ? null : { from: ranges[0]!.first, until: ranges.at(-1)!.last + 1 },
    found(offset, spans) {
      const range = spans > 0 ? rangeOf(offset) : undefined
      if (range !== undefined) range.left = Math.max(0, range.left - spans)
    },
    take(offset, spans) {
      const range = rangeOf(offset)
      if (range === undefined) return 0
      const taken = Math.min(spans, range.left)
      range.left -= taken
      return taken
    },
  }
}
