// Counts dead letters that are no longer on their topic, and dead letters of a newer release, which are unreadable. The log deletes a dead
// letter because of age or size, or an operator deletes it. The rejected record is on a different topic, so it can outlive its dead
// letter. But for every range of offsets, the ledger still counts all dead letters. The spans of the dead letters that are no longer on
// their topic are therefore not considered lost.
import type { ColumnStore } from '@svc-server/column-store/port'
import { type DeadLetters, recordKey } from '@svc-server/dead-letters/by-record'
import type { EventLog } from '@svc-server/log'
import { ledgerNamesOf } from './ledger-destination.ts'
import type { OffsetRange } from './spans-on-log.ts'

export interface ExpiredDeadLetters {
  /**
   * Range of offsets that contains all ledger ranges that overlap the requested range. Null if no ledger range overlaps the requested
   * range. The caller must report all dead letters of records in this range to `found`.
   */
  readonly extent: { readonly from: number; readonly until: number } | null
  /** Call `found` for all dead letters before the first call of `take`. */
  found(offset: number, spans: number): void
  /**
   * `spans` is the number of absent spans of the record at `offset`. Returns how many of these absent spans have a dead letter that
   * no call of `found` reported, although the ledger counts this dead letter. `take` then subtracts the returned number from the
   * ledger's number of dead letters, so that each dead letter counts in the result of only one call.
   */
  take(offset: number, spans: number): number
}

interface LedgerRange {
  readonly first: number
  readonly last: number
  left: number
}

/**
 * Reports the dead letters before the compared range. The first ledger range that overlaps the compared range can begin before the compared
 * range. The ledger has only one number of dead letters for a ledger range, so this number then includes dead letters from before the
 * compared range. Without this report, `take` would wrongly count missing spans of the compared range as spans of these dead letters.
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
  /** The name of a table, or an empty text for a stage that fills a topic. */
  readonly destination: string
}

const none: ExpiredDeadLetters = { extent: null, found() {}, take: () => 0 }

/**
 * The caller sets `isPossible` to false only if all dead letters are readable and still on their topic. In this case, an absent span
 * without a dead letter on the topic is lost, even if the ledger counts a dead letter for the span.
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
