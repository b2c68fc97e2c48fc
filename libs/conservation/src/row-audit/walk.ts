// One step along a partition: some records of the log, and whether each of their spans is a row of all tables
// of its mode, or a dead letter.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { EventLog, LogRecord } from '@svc-server/log'
import { readWithin } from '@svc-server/log/read-range'
import type { RowVersion } from '../presence/key.ts'
import { allowsHoles, type OffsetRange } from '../spans-on-log.ts'
import { absentIn, type TablesOf } from './audited-tables.ts'
import { type Absent, type Judged, type MissingSpans, withoutLetters } from './missing.ts'
import type { Pace } from './pace.ts'
import type { RecordReader } from './record-reader.ts'
import { rowAt } from './record-rows.ts'

export interface WalkDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly reader: RecordReader
  readonly pace: Pace
  readonly tablesOf: TablesOf
}

export interface Step {
  /** First offset that was not looked at. */
  readonly next: number
  /** Of the records. */
  readonly spans: number
  /** Of them: those that were looked for in some table. */
  readonly wanted: number
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
  readonly tables: readonly string[]
}

/** `deadLetteredBefore`: see `withoutLetters`. Rejects with column_store_*, log_* AppErrors, `offset_out_of_range` where retention was first. */
export async function walkStep(deps: WalkDeps, range: OffsetRange, deadLetteredBefore?: number): Promise<Step> {
  const { log, pace } = deps
  const { topic, partition, from, until } = range
  const batch = await pace.after(() => readWithin(log, range, readBytes))
  const records = batch.records.filter(({ offset }) => offset < until)
  const probe = createProbe(deps, topic, `${topic}/${partition}`)
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
  return { next, spans: probe.spans, wanted: probe.wanted, ...judged, lastMs }
}

/** Gathers spans of record after record, and asks for many at a time: a query costs more than a thousand keys in it. */
function createProbe({ log, columnStore, reader, pace, tablesOf }: WalkDeps, topic: string, where: string) {
  const absent: Absent[] = []
  /** Where a record is gone, nobody knows its mode. */
  const [lost = ''] = tablesOf(topic, null)
  let wanted: Wanted[] = []
  let spans = 0
  let asked = 0

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
    get wanted() {
      return asked
    },
    /** Offsets without a record, where there must be one: what was in it is gone. */
    holes(from: number, end: number): void {
      if (allowsHoles(log) || from >= end) return
      for (let offset = from; offset < end; offset++)
        absent.push({ table: lost, offset, index: 0, count: 1, example: `${where}/${offset}` })
    },
    async record({ offset, value, timestampMs }: LogRecord): Promise<void> {
      if (value === null) return
      const rows = await pace.after(() => reader.read(topic, value, timestampMs))
      const tables = tablesOf(topic, rows.writeMode)
      spans += Math.max(rows.claimed, rows.found)
      const [table] = tables
      if (table === undefined) return
      asked += Math.max(rows.claimed, rows.found)
      for (let index = 0; index < rows.found; index++) {
        const version = rowAt(rows, index)
        if (version === null) absent.push({ table, offset, index, count: 1, example: `${where}/${offset}#${index}` })
        else if (wanted.push({ offset, index, version, tables }) >= spansPerStep) await ask()
      }
      const { claimed, found } = rows
      if (claimed > found) absent.push({ table, offset, index: found, count: claimed - found, example: `${where}/${offset}#${found}` })
    },
    async absent(): Promise<readonly Absent[]> {
      await ask()
      return absent
    },
  }
}

/** A span that lacks in several tables is one span that is absent. */
async function absentOf(columnStore: ColumnStore, wanted: readonly Wanted[]): Promise<readonly Absent[]> {
  const absent = new Map<Wanted, string>()
  for (const table of new Set(wanted.flatMap(({ tables }) => tables))) {
    const asked = wanted.filter(({ tables }) => tables.includes(table))
    const versions = asked.map(({ version }) => version)
    for (const at of await absentIn(columnStore, table, versions, { maxThreads: 1 })) {
      if (!absent.has(asked[at]!)) absent.set(asked[at]!, table)
    }
  }
  return [...absent].map(([{ offset, index, version }, table]) => {
    const { projectId, traceId, spanId } = version
    return { table, offset, index, count: 1, example: `${projectId}/${traceId}/${spanId}` }
  })
}
