// What is in neither table, less what is a dead letter: that is missing.
import type { ColumnStore } from '@svc-server/column-store'
import type { EventLog } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/schema'
import type { LettersOfRecord } from '../check/dead-letters.ts'
import { goneLetters } from '../check/gone-letters.ts'
import type { OffsetRange } from '../spans-on-log.ts'
import { type LettersFound, lettersOf } from './letters.ts'

/** Offsets of the first and last record that lacks spans, and how many. */
export interface MissingRun {
  readonly first: number
  readonly last: number
  readonly spans: number
}

/** Spans that are nowhere. */
export interface MissingSpans extends MissingRun {
  /** The same by neighbouring records; joined where there are very many. */
  readonly runs: readonly MissingRun[]
  /** One of them, as project/trace/span, or what is known of it. */
  readonly example: string
}

/** `count` spans of a record from `index` on that are not in both tables. */
export interface Absent {
  readonly offset: number
  readonly index: number
  readonly count: number
  readonly example: string
}

interface Stores {
  readonly log: EventLog
  readonly columnStore: ColumnStore
}

/** `sinceMs`: append time of the first record of the range. Null: all of them are dead letters. */
export async function withoutLetters(
  deps: Stores,
  range: OffsetRange,
  sinceMs: number,
  absent: readonly Absent[],
): Promise<MissingSpans | null> {
  const openIn = (letters: LettersFound['letters']) =>
    absent.map(one => ({ ...one, count: openOf(one, letters.get(one.offset)) })).filter(({ count }) => count > 0)
  const { letters, incomplete } = await lettersOf(deps.log, range, sinceMs, found => found.size > 0 && openIn(found).length === 0)
  const left = await withoutGoneLetters(deps, range, letters, incomplete, openIn(letters))
  const [one] = left
  if (one === undefined) return null
  const runs = runsOf(left)
  const spans = runs.reduce((sum, run) => sum + run.spans, 0)
  return { first: runs[0]!.first, last: runs.at(-1)!.last, spans, runs, example: one.example }
}

/** Letters leave their topic, too. How many there were of a range of the log, the ledger knows. */
async function withoutGoneLetters(
  { log, columnStore }: Stores,
  range: OffsetRange,
  letters: LettersFound['letters'],
  incomplete: boolean,
  absent: readonly Absent[],
): Promise<readonly Absent[]> {
  if (!incomplete || absent.length === 0) return absent
  const group = range.topic === topicNames.staging ? groupNames.propagator : groupNames.writer
  const gone = await goneLetters({ log, columnStore, group }, range, true)
  for (const [offset, { spans }] of letters) gone.found(offset, spans.size)
  return absent.map(one => ({ ...one, count: one.count - gone.take(one.offset, one.count) })).filter(({ count }) => count > 0)
}

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

/** Spans of it that are no dead letters. */
function openOf({ index, count }: Absent, letters: LettersOfRecord | undefined): number {
  if (letters === undefined) return count
  if (letters.whole) return 0
  if (count === 1) return letters.spans.has(index) ? 0 : 1
  let lettered = 0
  for (const one of letters.spans) if (one >= index && one < index + count) lettered += 1
  return count - lettered
}
