// Checks rows without provenance. For every span, score and merged entity on the log, the check looks up the item's row in the tables by
// the item's key. The check cannot detect rows that are stored twice or should not exist.
import type { ColumnStore } from '@svc-server/column-store/port'
import { catchUp } from '@svc-server/column-store/replicas'
import type { Denials } from '@svc-server/deletions/denials'
import type { EventLog } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import { isEntity } from '@svc-server/schema/entity'
import { envelopeOf } from '@svc-server/schema/envelope'
import { auditedTables, createTablesOf } from '../row-audit/audited-tables.ts'
import { type ItemKind, isMerged, kindOnTopic, mayHaveEntities } from '../row-audit/item-kind.ts'
import type { Pace } from '../row-audit/pace.ts'
import { createRecordReader, type RecordReader } from '../row-audit/record-reader.ts'
import { noRows } from '../row-audit/record-rows.ts'
import { walkStep } from '../row-audit/walk.ts'
import type { OffsetRange } from '../spans-on-log.ts'
import { type Findings, type KeyedReport, type Unit, unitOn } from './report.ts'

export interface ByKeyDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly findings: Findings
  readonly maxRecordBytes: number
  /** Deleted traces and projects. */
  readonly denials: Denials
  /** Write mode of the writers. */
  readonly writeMode: Parameters<typeof createTablesOf>[0]
}

const events = 'events_full'

/**
 * Spans in the events tables are compared by provenance; all other items are looked up by key. Rows of merged entities never have
 * provenance. For a staged entity, the check looks up the entity that was published from it.
 */
const isByKey = (topic: string, kind: ItemKind, table: string): boolean =>
  table !== events || (isMerged(kind) && topic !== topicNames.staging)

/** The check looks up some items of a topic by key. Returns the unit in which the check counts these items. */
const unitByKey = (topic: string): Unit =>
  topic === topicNames.staging ? 'spans' : topic === topicNames.filled ? 'entities' : unitOn(topic)

const unpaced: Pace = { after: work => work() }

export interface KeyedRange extends OffsetRange {
  /** Number of offsets after the checked range. It is 0 if another report already counts these offsets. */
  readonly waiting: number
}

/** Rejects with column_store_*, log_* AppErrors. */
export async function checkByKey(deps: ByKeyDeps, ranges: readonly KeyedRange[]): Promise<readonly KeyedReport[]> {
  const { log, columnStore, findings, writeMode, denials } = deps
  const all = createTablesOf(writeMode)
  const tablesOf: typeof all = (topic, mode, kind) => all(topic, mode, kind).filter(({ name }) => isByKey(topic, kind, name))
  await catchUp(columnStore, auditedTables)
  const opening = createRecordReader(deps)
  const reader: RecordReader = {
    ...opening,
    // Spans are looked up by key only in the table `observations`. If this table is not checked, the records of spans need not be opened.
    async read(topic, value, timestampMs) {
      const isMergedOne = mayHaveEntities(topic) && isEntity(value)
      const kind = isMergedOne ? 'observation' : kindOnTopic(topic)
      const writeMode = kind === 'span' ? envelopeOf(value, timestampMs).writeMode : null
      return tablesOf(topic, writeMode, kind).length === 0 ? { ...noRows(kind), writeMode } : opening.read(topic, value, timestampMs)
    },
  }
  const walking = { log, columnStore, reader, pace: unpaced, tablesOf, denials }
  const reports: KeyedReport[] = []
  try {
    for (const { topic, partition, from, until, waiting } of ranges) {
      const total = { items: 0, entities: 0, deadLettered: 0, denied: 0, missing: 0 }
      for (let next = from; next < until; ) {
        const step = await walkStep(walking, { topic, partition, from: next, until }, { mayHide: false })
        total.items += step.wanted
        total.entities += step.entities
        total.deadLettered += step.deadLettered
        total.denied += step.denied
        for (const { first, last, spans } of step.missing?.runs ?? []) {
          total.missing += spans
          const { example, table = '' } = step.missing!
          findings.add({ kind: 'missing', unit: unitByKey(topic), topic, partition, first, last, spans, table, example })
        }
        next = step.next
      }
      if (total.items > 0 || waiting > 0) reports.push({ topic, partition, from, until, waiting, ...total })
    }
  } finally {
    await reader.stop()
  }
  return reports
}
