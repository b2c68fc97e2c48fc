// One step along a partition: some records of the log, and whether each of their spans is a row of both tables or a dead letter.
import type { ColumnStore } from '@svc-server/column-store'
import { type EventLog, type LogRecord, readWithin } from '@svc-server/log'
import type { LettersOfRecord } from '../check/dead-letters.ts'
import { absentRows, type RowVersion } from '../presence.ts'
import { allowsHoles, type OffsetRange } from '../spans-on-log.ts'
import { lettersOf } from './letters.ts'
import type { Pace } from './pace.ts'
import type { RecordReader } from './record-reader.ts'
import { rowAt } from './record-rows.ts'

export interface WalkDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly reader: RecordReader
  readonly pace: Pace
}

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

export interface Step {
  /** First offset that was not looked at. */
  readonly next: number
  /** Spans that were looked for. */
  readonly spans: number
  readonly missing: MissingSpans | null
  /** Append time of the last record. */
  readonly lastMs: number | null
}

/** `count` spans of a record from `index` on that are not in both tables. */
interface Absent {
  readonly offset: number
  readonly index: number
  readonly count: number
  readonly example: string
}

const readBytes = 4 << 20
/** Spans of one step, about: what is missing is looked at again as a whole. */
const spansPerStep = 16_384

/** A span whose row is looked for. */
interface Wanted {
  readonly offset: number
  readonly index: number
  readonly version: RowVersion
}

/** Rejects with column_store_*, log_* AppErrors, `offset_out_of_range` where retention was first. */
export async function walkStep(deps: WalkDeps, range: OffsetRange): Promise<Step> {
  const { log, pace } = deps
  const { topic, partition, from, until } = range
  const batch = await pace.after(() => readWithin(log, range, readBytes))
  const records = batch.records.filter(({ offset }) => offset < until)
  const look = createLook(deps, `${topic}/${partition}`)
  let next = from
  let lastMs: number | null = null
  for (const record of records) {
    look.holes(next, record.offset)
    next = record.offset + 1
    lastMs = record.timestampMs
    await look.record(record)
    if (look.spans >= spansPerStep) break
  }
  if (look.spans < spansPerStep) {
    const end = Math.min(batch.nextOffset, until)
    look.holes(next, end)
    next = end
  }
  const absent = await look.absent()
  const sinceMs = records[0]?.timestampMs ?? 0
  const passed = { topic, partition, from, until: next }
  const missing = absent.length === 0 ? null : await pace.after(() => withoutLetters(log, passed, sinceMs, absent))
  return { next, spans: look.spans, missing, lastMs }
}

/** Gathers spans of record after record, and asks for many at a time: a query costs more than a thousand keys in it. */
function createLook({ log, columnStore, reader, pace }: WalkDeps, where: string) {
  const absent: Absent[] = []
  let wanted: Wanted[] = []
  let spans = 0

  async function ask(): Promise<void> {
    const asked = wanted
    wanted = []
    if (asked.length === 0) return
    for (const one of await pace.after(() => absentOf(columnStore, asked))) absent.push(one)
  }

  return {
    get spans() {
      return spans
    },
    /** Offsets without a record, where there must be one: what was in it is gone. */
    holes(from: number, end: number): void {
      if (allowsHoles(log) || from >= end) return
      for (let offset = from; offset < end; offset++) absent.push({ offset, index: 0, count: 1, example: `${where}/${offset}` })
    },
    async record({ offset, value, timestampMs }: LogRecord): Promise<void> {
      if (value === null) return
      const rows = await pace.after(() => reader.read(value, timestampMs))
      for (let index = 0; index < rows.found; index++) {
        const version = rowAt(rows, index)
        if (version === null) absent.push({ offset, index, count: 1, example: `${where}/${offset}#${index}` })
        else if (wanted.push({ offset, index, version }) >= spansPerStep) await ask()
      }
      const { claimed, found } = rows
      if (claimed > found) absent.push({ offset, index: found, count: claimed - found, example: `${where}/${offset}#${found}` })
      spans += Math.max(claimed, found)
    },
    async absent(): Promise<readonly Absent[]> {
      await ask()
      return absent
    },
  }
}

async function absentOf(columnStore: ColumnStore, wanted: readonly Wanted[]): Promise<Absent[]> {
  const versions = wanted.map(({ version }) => version)
  const options = { maxThreads: 1 }
  const full = await absentRows(columnStore, 'events_full', versions, options)
  const core = await absentRows(columnStore, 'events_core', versions, options)
  return [...new Set([...full, ...core])].map(at => {
    const { offset, index, version } = wanted[at]!
    return { offset, index, count: 1, example: `${version.projectId}/${version.traceId}/${version.spanId}` }
  })
}

async function withoutLetters(log: EventLog, range: OffsetRange, sinceMs: number, absent: readonly Absent[]): Promise<MissingSpans | null> {
  const open = (letters: ReadonlyMap<number, LettersOfRecord>) => absent.filter(one => openOf(one, letters.get(one.offset)) > 0)
  const letters = await lettersOf(log, range, sinceMs, found => found.size > 0 && open(found).length === 0)
  const left = open(letters)
  const [one] = left
  if (one === undefined) return null
  const runs = runsOf(left.map(each => ({ offset: each.offset, spans: openOf(each, letters.get(each.offset)) })))
  const spans = runs.reduce((sum, run) => sum + run.spans, 0)
  return { first: runs[0]!.first, last: runs.at(-1)!.last, spans, runs, example: one.example }
}

const maxRuns = 1_000

function runsOf(found: readonly { readonly offset: number; readonly spans: number }[]): readonly MissingRun[] {
  const runs: { first: number; last: number; spans: number }[] = []
  for (const { offset, spans } of [...found].sort((a, b) => a.offset - b.offset)) {
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
