// One step along a partition: some records of the log, and whether each of their spans is a row of both tables or a dead letter.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { EventLog, LogRecord } from '@svc-server/log'
import { readWithin } from '@svc-server/log/read-range'
import type { RowVersion } from '../presence/key.ts'
import { absentRows } from '../presence/presence.ts'
import { allowsHoles, type OffsetRange } from '../spans-on-log.ts'
import { type Absent, type Judged, type MissingSpans, withoutLetters } from './missing.ts'
import type { Pace } from './pace.ts'
import type { RecordReader } from './record-reader.ts'
import { rowAt } from './record-rows.ts'

export interface WalkDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly reader: RecordReader
  readonly pace: Pace
}

export interface Step {
  /** First offset that was not looked at. */
  readonly next: number
  /** Spans that were looked for. */
  readonly spans: number
  readonly missing: MissingSpans | null
  /** Spans that are nowhere because they are dead letters. */
  readonly deadLettered: number
  /** Append time of the last record. */
  readonly lastMs: number | null
}

const readBytes = 4 << 20
/** Spans of one step, about: what is missing is looked at again as a whole. */
const spansPerStep = 16_384

const nothing: Judged = { missing: null, deadLettered: 0 }

/** A span whose row is looked for. */
interface Wanted {
  readonly offset: number
  readonly index: number
  readonly version: RowVersion
}

/** `deadLetteredBefore`: see `withoutLetters`. Rejects with column_store_*, log_* AppErrors, `offset_out_of_range` where retention was first. */
export async function walkStep(deps: WalkDeps, range: OffsetRange, deadLetteredBefore?: number): Promise<Step> {
  const { log, pace } = deps
  const { topic, partition, from, until } = range
  const batch = await pace.after(() => readWithin(log, range, readBytes))
  const records = batch.records.filter(({ offset }) => offset < until)
  const probe = createProbe(deps, `${topic}/${partition}`)
  let next = from
  let lastMs: number | null = null
  for (const record of records) {
    probe.holes(next, record.offset)
    next = record.offset + 1
    lastMs = record.timestampMs
    await probe.record(record)
    if (probe.spans >= spansPerStep) break
  }
  if (probe.spans < spansPerStep) {
    const end = Math.min(batch.nextOffset, until)
    probe.holes(next, end)
    next = end
  }
  const absent = await probe.absent()
  const sinceMs = records[0]?.timestampMs ?? 0
  const passed = { topic, partition, from, until: next }
  const judged = absent.length === 0 ? nothing : await pace.after(() => withoutLetters(deps, passed, sinceMs, absent, deadLetteredBefore))
  return { next, spans: probe.spans, ...judged, lastMs }
}

/** Gathers spans of record after record, and asks for many at a time: a query costs more than a thousand keys in it. */
function createProbe({ log, columnStore, reader, pace }: WalkDeps, where: string) {
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
