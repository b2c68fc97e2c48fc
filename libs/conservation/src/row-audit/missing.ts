// Computes which items are missing: absent from a table and not dead-lettered.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { DeadLettersOfRecord } from '@svc-server/dead-letters/by-record'
import { type DeadLettersFound, deadLettersOf } from '@svc-server/dead-letters/of-range'
import type { EventLog } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { expiredDeadLetters } from '../expired-dead-letters.ts'
import { noDestination } from '../ledger-destination.ts'
import type { OffsetRange } from '../spans-on-log.ts'

/** A range of records with missing spans: the offsets of its first and its last record, and the number of missing spans. */
interface MissingRun {
  readonly first: number
  readonly last: number
  readonly spans: number
}

export interface MissingSpans extends MissingRun {
  /**
   * Runs of adjacent records. If there would be more than `maxRuns`, the last run extends to the last record with missing spans. This run
   * can also contain records without missing spans.
   */
  readonly runs: readonly MissingRun[]
  /** Name of a missing span as project/trace/span, or the known part of this name. */
  readonly example: string
  /** Name of a table that lacks the span `example`. Absent in findings of earlier releases. */
  readonly table?: string
  /**
   * Dead-lettered spans between the first and the last offset; undefined if unknown. An open Kafka transaction can hide dead letters from
   * readers. While dead letters can be hidden, the number also includes spans that the ledger counts as dead-lettered but that have no
   * visible dead letter.
   */
  readonly deadLettered?: number
}

export interface Look {
  /**
   * Number of dead-lettered spans at the previous check, if it is known. If the topic no longer has all dead letters, the audit uses this
   * number instead of the ledger's number of dead letters. The ledger counts the dead letters of a whole chunk, which can also contain
   * records outside the checked range. If the audit used the ledger's number, it could wrongly attribute dead letters to spans that were
   * already missing at the previous check.
   */
  readonly deadLetteredBefore?: number | undefined
  /** True if an open transaction on Kafka can still hide a committed dead letter from the audit. */
  readonly mayHide: boolean
}

export interface Judged {
  /** The items that have no row and were not dead-lettered; null if there are none. */
  readonly missing: MissingSpans | null
  readonly deadLettered: number
}

/** Adjacent spans of one record, all of them absent from `table`: `count` spans, beginning with the span at `index`. */
export interface Absent {
  readonly table: string
  readonly offset: number
  readonly index: number
  readonly count: number
  readonly example: string
}

interface Stores {
  readonly log: EventLog
  readonly columnStore: ColumnStore
}

/** `sinceMs` is the append time of the range's first record. */
export async function withoutDeadLetters(
  deps: Stores,
  range: OffsetRange,
  sinceMs: number,
  absent: readonly Absent[],
  { deadLetteredBefore, mayHide }: Look,
): Promise<Judged> {
  const openIn = (deadLetters: DeadLettersFound['deadLetters']) =>
    absent.map(one => ({ ...one, count: openOf(one, deadLetters.get(one.offset)) })).filter(({ count }) => count > 0)
  const { deadLetters, incomplete } = await deadLettersOf(deps.log, range, sinceMs, found => found.size > 0 && openIn(found).length === 0)
  const open = openIn(deadLetters)
  const deadLettered = spansIn(absent) - spansIn(open)
  const left =
    incomplete && open.length > 0
      ? await withoutExpiredDeadLetters(deps, range, sinceMs, open, remembered(deadLetteredBefore, deadLettered))
      : open
  const found = spansIn(absent) - spansIn(left)
  const [one] = left
  if (one === undefined) return { missing: null, deadLettered: found }
  const runs = runsOf(left)
  const [first, last] = [runs[0]!.first, runs.at(-1)!.last]
  const spans = spansIn(left)
  const between = spansIn(absent.filter(({ offset }) => first <= offset && offset <= last)) - spans
  // An operator can purge a dead letter before the audit can read it. When the audit reports the range for the first time, it must not
  // count the span of this dead letter as missing.
  const hidden = mayHide && !incomplete ? spans - spansIn(await withoutExpiredDeadLetters(deps, range, sinceMs, left, undefined)) : 0
  return {
    missing: { first, last, spans, runs, example: one.example, table: one.table, deadLettered: between + hidden },
    deadLettered: found,
  }
}

const spansIn = (absent: readonly Absent[]): number => absent.reduce((sum, { count }) => sum + count, 0)

const remembered = (before: number | undefined, found: number): number | undefined =>
  before === undefined ? undefined : Math.max(0, before - found)

async function withoutExpiredDeadLetters(
  { log, columnStore }: Stores,
  range: OffsetRange,
  sinceMs: number,
  absent: readonly Absent[],
  known: number | undefined,
): Promise<readonly Absent[]> {
  if (known !== undefined) return taken(absent, counter(known))
  const left: Absent[] = []
  for (const [table, ofTable] of Map.groupBy(absent, one => one.table)) {
    const gone = await expiredDeadLetters({ log, columnStore, ...deadLetteringStages(range.topic, table) }, range, true)
    if (gone.extent !== null) {
      // The ledger counts dead letters per chunk, so the dead letters of all records of a chunk are needed.
      const { deadLetters } = await deadLettersOf(log, { ...range, ...gone.extent }, sinceMs, () => false)
      for (const [offset, { whole, wholeSpans, spans }] of deadLetters) gone.found(offset, whole ? wholeSpans : spans.size)
    }
    for (const one of taken(ofTable, gone.take)) left.push(one)
  }
  return left
}

/**
 * Spans can become dead letters before they reach the table. Returns the group and the destination of the ledger rows that count these dead
 * letters.
 */
function deadLetteringStages(topic: string, table: string): { readonly group: string; readonly destination: string } {
  const isPropagated = topic === topicNames.staging && table === 'events_full'
  return isPropagated ? { group: groupNames.propagator, destination: noDestination } : { group: groupNames.writer, destination: table }
}

function counter(spans: number): (offset: number, wanted: number) => number {
  let left = spans
  return (_, wanted) => {
    const given = Math.min(left, wanted)
    left -= given
    return given
  }
}

const taken = (absent: readonly Absent[], take: (offset: number, spans: number) => number): readonly Absent[] =>
  absent.map(one => ({ ...one, count: one.count - take(one.offset, one.count) })).filter(({ count }) => count > 0)

const maxRuns = 1_000

function runsOf(absent: readonly Absent[]): readonly MissingRun[] {
  const runs: { first: number; last: number; spans: number }[] = []
  for (const { offset, count: spans } of [...absent].sort((a, b) => a.offset - b.offset)) {
    const before = runs.at(-1)
    if (before !== undefined && (offset <= before.last + 1 || runs.length === maxRuns)) {
      before.last = offset
      before.spans += spans
    } else runs.push({ first: offset, last: offset, spans })
  }
  return runs
}

/** Spans that are not dead-lettered. */
function openOf({ index, count }: Absent, deadLetters: DeadLettersOfRecord | undefined): number {
  if (deadLetters === undefined) return count
  if (deadLetters.whole) return 0
  if (count === 1) return deadLetters.spans.has(index) ? 0 : 1
  let deadLettered = 0
  for (const one of deadLetters.spans) if (one >= index && one < index + count) deadLettered += 1
  return count - deadLettered
}
