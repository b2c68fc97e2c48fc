// One step along a partition: some records of the log, and whether each of their items is a row of all tables
// of its mode, or a dead letter.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { Denials } from '@svc-server/deletions/denials'
import type { EventLog, LogRecord } from '@svc-server/log'
import { readWithin } from '@svc-server/log/read-range'
import type { RowVersion } from '../presence/key.ts'
import { allowsHoles, type OffsetRange } from '../spans-on-log.ts'
import { type AuditedTable, absentIn, type TablesOf } from './audited-tables.ts'
import { isMerged, kindOnTopic } from './item-kind.ts'
import { type Absent, type Judged, type Look, type MissingSpans, withoutLetters } from './missing.ts'
import type { Pace } from './pace.ts'
import type { RecordReader } from './record-reader.ts'
import { rowsAt } from './record-rows.ts'

export interface WalkDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly reader: RecordReader
  readonly pace: Pace
  readonly tablesOf: TablesOf
  /** What was deleted: it may be gone from the tables, and is not missing. */
  readonly denials: Denials
}

export interface Step {
  /** First offset that was not looked at. */
  readonly next: number
  /** Items that were looked for in some table: spans, scores, merged entities. */
  readonly wanted: number
  /** Of them: merged entities. */
  readonly entities: number
  readonly missing: MissingSpans | null
  /** Items that are nowhere because they are dead letters. */
  readonly deadLettered: number
  /** Items that are nowhere because their trace, or project, was deleted. */
  readonly denied: number
  /** Append time of the last record. */
  readonly lastMs: number | null
}

const readBytes = 4 << 20
/** Items of one step, and rows of one question, about: what is missing is looked at again as a whole. */
const itemsPerStep = 16_384

const nothing: Judged = { missing: null, deadLettered: 0 }

/** A row of an item, that is looked for. */
interface Wanted {
  readonly offset: number
  readonly index: number
  readonly version: RowVersion
  readonly tables: readonly AuditedTable[]
  readonly traceId: string
  /** Of the item; null: that of its row. */
  readonly name: string | null
}

/** Rejects with column_store_*, log_* AppErrors, `offset_out_of_range` where retention was first. */
export async function walkStep(deps: WalkDeps, range: OffsetRange, look: Look): Promise<Step> {
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
    if (probe.items >= itemsPerStep) break
  }
  if (probe.items < itemsPerStep) {
    const end = Math.min(batch.nextOffset, until)
    probe.holes(next, end)
    next = end
  }
  const absent = await probe.absent()
  const sinceMs = records[0]?.timestampMs ?? 0
  const passed = { topic, partition, from, until: next }
  const judged = absent.length === 0 ? nothing : await pace.after(() => withoutLetters(deps, passed, sinceMs, absent, look))
  return { next, ...probe.counts, ...judged, lastMs }
}

/** Gathers items of record after record, and asks for many at a time: a query costs more than a thousand keys in it. */
function createProbe({ log, columnStore, reader, pace, tablesOf, denials }: WalkDeps, topic: string, where: string) {
  const absent: Absent[] = []
  /** Where a record is gone, nobody knows its mode. */
  const lost = tablesOf(topic, null, kindOnTopic(topic))[0]?.name ?? ''
  let gathered: Wanted[] = []
  let items = 0
  let wanted = 0
  let entities = 0
  let denied = 0

  async function ask(): Promise<void> {
    const asked = gathered
    gathered = []
    if (asked.length === 0) return
    for (const { of, ...one } of await pace.after(() => absentOf(columnStore, asked))) {
      const { projectId } = of.version
      if (denials.concerns(projectId) && denials.denies(projectId, of.traceId, of.version.startTimeUs)) denied += 1
      else absent.push(one)
    }
  }

  return {
    get items() {
      return items
    },
    get counts() {
      return { wanted, entities, denied }
    },
    /** Offsets without a record, where there must be one: what was in it is gone. */
    holes(from: number, end: number): void {
      if (allowsHoles(log, topic) || from >= end) return
      for (let offset = from; offset < end; offset++)
        absent.push({ table: lost, offset, index: 0, count: 1, example: `${where}/${offset}` })
    },
    async record({ offset, value, timestampMs }: LogRecord): Promise<void> {
      if (value === null) return
      const rows = await pace.after(() => reader.read(topic, value, timestampMs))
      const { claimed, found, kind, projectId, writeMode, name } = rows
      const tables = tablesOf(topic, writeMode, kind)
      const here = Math.max(claimed, found)
      items += here
      const [table] = tables
      if (table === undefined) return
      wanted += here
      if (isMerged(kind)) entities += here
      // Nobody can say whose trace they are.
      const absentHere = (index: number, count: number): void => {
        if (denials.denies(projectId, null)) denied += count
        else absent.push({ table: table.name, offset, index, count, example: `${where}/${offset}#${index}` })
      }
      for (let index = 0; index < found; index++) {
        const versions = rowsAt(rows, index)
        if (versions === null) absentHere(index, 1)
        // All rows of an item in one question: so it is absent once.
        for (const version of versions ?? []) {
          const traceId = rows.traceId ?? version.traceId
          gathered.push({ offset, index, version, tables, traceId, name })
        }
        if (gathered.length >= itemsPerStep) await ask()
      }
      if (claimed > found) absentHere(found, claimed - found)
    },
    async absent(): Promise<readonly Absent[]> {
      await ask()
      return absent
    },
  }
}

interface AbsentItem extends Absent {
  readonly of: Wanted
}

/** An item that lacks several rows, or one in several tables, is one item that is absent. */
async function absentOf(columnStore: ColumnStore, gathered: readonly Wanted[]): Promise<readonly AbsentItem[]> {
  const absent = new Map<string, AbsentItem>()
  for (const table of new Set(gathered.flatMap(({ tables }) => tables))) {
    const asked = gathered.filter(({ tables }) => tables.includes(table))
    const versions = asked.map(({ version }) => version)
    for (const at of await absentIn(columnStore, table, versions, { maxThreads: 1 })) {
      const of = asked[at]!
      const { offset, index, version, name } = of
      const { projectId, traceId, spanId } = version
      const item = `${offset}#${index}`
      if (absent.has(item)) continue
      absent.set(item, { of, table: table.name, offset, index, count: 1, example: name ?? `${projectId}/${traceId}/${spanId}` })
    }
  }
  return [...absent.values()]
}
