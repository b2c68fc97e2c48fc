// Dead letters leave their topic before what they tell of leaves its own: by age, by the topic's size, by an
// operator's purge, or because a newer release wrote them. The ledger still knows how many there were of
// every range, and so a span that was one is not a span that was lost.
import type { ColumnStore } from '@svc-server/column-store/port'
import { type Letters, recordKey } from '@svc-server/dead-letters/by-record'
import type { EventLog } from '@svc-server/log'
import { ledgerNamesOf } from './ledger-destination.ts'
import type { OffsetRange } from './spans-on-log.ts'

export interface GoneLetters {
  /**
   * Offsets of the ledger's ranges that reach into the range: letters of all of them are to be told. Null:
   * there are none.
   */
  readonly extent: { readonly from: number; readonly until: number } | null
  /**
   * A record of the range: so many of its spans have their letter. To be told of all before the first is
   * taken.
   */
  found(offset: number, spans: number): void
  /**
   * Of `spans` at this offset that are neither stored nor have a letter, those that the ledger has as dead
   * letters. Each is given once.
   */
  take(offset: number, spans: number): number
}

interface LedgerRange {
  readonly first: number
  readonly last: number
  left: number
}

/**
 * The first range of the ledger may begin before what is compared, as retention or a limit cuts it. Letters
 * of its records that are not compared have not left, either: without them as many real losses would be
 * excused.
 */
export function tellBefore(gone: GoneLetters, letters: Letters, { topic, partition, from }: OffsetRange): void {
  for (let offset = gone.extent?.from ?? from; offset < from; offset++) {
    const found = letters.get(recordKey(topic, partition, offset))
    if (found !== undefined) gone.found(offset, found.whole ? found.wholeSpans : found.spans.size)
  }
}

interface LedgerOf {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly group: string
  /** Table whose rows the ledger tells of; empty: of a stage that fills a topic. */
  readonly destination: string
}

const none: GoneLetters = { extent: null, found() {}, take: () => 0 }

/**
 * `isPossible`: letters have left the topic. Where none have, a span without its letter is lost, whatever the
 * ledger says.
 */
export async function goneLetters(
  { log, columnStore, group, destination }: LedgerOf,
  { topic, partition, from, until }: OffsetRange,
  isPossible: boolean,
): Promise<GoneLetters> {
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
