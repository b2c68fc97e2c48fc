// Runs one audit step of a partition: each item must be dead-lettered, or have a row in all tables of its mode.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { Denials } from '@svc-server/deletions/denials'
import type { EventLog, LogRecord } from '@svc-server/log'
import { readWithin } from '@svc-server/log/read-range'
import { allowsHoles, type OffsetRange } from '../spans-on-log.ts'
import type { TablesOf } from './audited-tables.ts'
import { isMerged, kindOnTopic } from './item-kind.ts'
import { type Judged, type Look, type MissingSpans, withoutDeadLetters } from './missing.ts'
import type { Pace } from './pace.ts'
import { createQuestion, type Items, itemsPerStep, type Question } from './question.ts'
import type { RecordReader } from './record-reader.ts'
import { rowsAt } from './record-rows.ts'

export interface WalkDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly reader: RecordReader
  readonly pace: Pace
  readonly tablesOf: TablesOf
  /** The deletions. Items of deleted traces and projects are allowed to be absent. */
  readonly denials: Denials
}

export interface Step {
  /** First offset after the step. */
  readonly next: number
  /** Items that were looked up: spans, scores, merged entities. */
  readonly wanted: number
  /** Merged entities among them. */
  readonly entities: number
  readonly missing: MissingSpans | null
  /** Absent because they are dead-lettered. */
  readonly deadLettered: number
  /** Items that are absent because their trace or project was deleted. */
  readonly denied: number
  /** Append time of the last record of the step, or null if the step has no records. */
  readonly lastMs: number | null
}

const readBytes = 4 << 20

const nothing: Judged = { missing: null, deadLettered: 0 }

/** The items that a step of the audit has read from the log. The step has not yet looked up their rows. */
export interface Gathered {
  readonly passed: OffsetRange
  readonly items: Items
  readonly entities: number
  readonly wanted: number
  /** Append times of the step's first and last record, or 0 and null if the step has no records. */
  readonly sinceMs: number
  readonly lastMs: number | null
}

/** Rejects with column_store_* and log_* AppErrors, and with `offset_out_of_range` if retention has deleted the records. */
export async function walkStep(deps: WalkDeps, range: OffsetRange, look: Look): Promise<Step> {
  const question = createQuestion(deps)
  const gathered = await gatherStep(deps, range, question)
  await question.ask()
  return judgeStep(deps, gathered, look)
}

/**
 * Reads the records of one step, and lets `question` also look up the rows that these records require. Rejects like `walkStep`.
 */
export async function gatherStep(deps: WalkDeps, range: OffsetRange, question: Question): Promise<Gathered> {
  const { log, pace } = deps
  const { topic, partition, from, until } = range
  const batch = await pace.after(() => readWithin(log, range, readBytes))
  const records = batch.records.filter(({ offset }) => offset < until)
  const gathering = createGathering(deps, topic, `${topic}/${partition}`, question)
  let next = from
  let lastMs: number | null = null
  for (const record of records) {
    gathering.holes(next, record.offset)
    next = record.offset + 1
    lastMs = record.timestampMs
    await gathering.record(record)
    if (gathering.counts.all >= itemsPerStep) break
  }
  if (gathering.counts.all < itemsPerStep) {
    const end = Math.min(batch.nextOffset, until)
    gathering.holes(next, end)
    next = end
  }
  const { wanted, entities } = gathering.counts
  const passed = { topic, partition, from, until: next }
  return { passed, items: gathering.items, wanted, entities, sinceMs: records[0]?.timestampMs ?? 0, lastMs }
}

/**
 * Returns the result of a step whose query has run. If the query has failed, rejects with the query's error. If the query has succeeded,
 * can still reject with the same errors as `walkStep`.
 */
export async function judgeStep(deps: WalkDeps, { passed, items, sinceMs, ...step }: Gathered, look: Look): Promise<Step> {
  const { absent, denied, failure } = items
  if (failure !== null) throw failure
  const judged = absent.length === 0 ? nothing : await deps.pace.after(() => withoutDeadLetters(deps, passed, sinceMs, absent, look))
  return { next: passed.until, ...step, denied, ...judged }
}

function createGathering({ log, reader, pace, tablesOf, denials }: WalkDeps, topic: string, where: string, question: Question) {
  const items: Items = { absent: [], denied: 0, failure: null }
  const counts = { all: 0, wanted: 0, entities: 0 }
  /**
   * The audit cannot read the write mode of a deleted record, so the audit does not know the record's tables. In a finding about a deleted
   * record, the audit therefore names the first of the tables that it audits for a record without a write mode.
   */
  const lost = tablesOf(topic, null, kindOnTopic(topic))[0]?.name ?? ''

  return {
    items,
    counts,
    /** The audit calls this method for offsets without a record. */
    holes(from: number, end: number): void {
      if (allowsHoles(log, topic) || from >= end) return
      for (let offset = from; offset < end; offset++)
        items.absent.push({ table: lost, offset, index: 0, count: 1, example: `${where}/${offset}` })
    },
    async record({ offset, value, timestampMs }: LogRecord): Promise<void> {
      if (value === null) return
      const rows = await pace.after(() => reader.read(topic, value, timestampMs))
      const { claimed, found, kind, projectId, writeMode, name } = rows
      const tables = tablesOf(topic, writeMode, kind)
      const here = Math.max(claimed, found)
      counts.all += here
      const [table] = tables
      if (table === undefined) return
      counts.wanted += here
      if (isMerged(kind)) counts.entities += here
      // Handles absent items whose traces are unknown: counts them as denied if their project is deleted, and otherwise lists them.
      const absentHere = (index: number, count: number): void => {
        if (denials.denies(projectId, null)) items.denied += count
        else items.absent.push({ table: table.name, offset, index, count, example: `${where}/${offset}#${index}` })
      }
      for (let index = 0; index < found; index++) {
        const versions = rowsAt(rows, index)
        if (versions === null) absentHere(index, 1)
        // All rows of an item are looked up in the same query, because an item with several absent rows must count once.
        for (const version of versions ?? []) {
          const traceId = rows.traceId ?? version.traceId
          question.add({ items, offset, index, version, tables, traceId, name })
        }
        if (question.size >= itemsPerStep) await question.ask()
      }
      if (claimed > found) absentHere(found, claimed - found)
    },
  }
}
