// Tables whose rows do not say where they came from: every span of the log that must be in them is looked for
// by its key. What is there twice, or too much, nobody can tell.
import type { ColumnStore } from '@svc-server/column-store/port'
import { catchUp } from '@svc-server/column-store/replicas'
import type { EventLog } from '@svc-server/log'
import { auditedTables, createTablesOf } from '../row-audit/audited-tables.ts'
import type { Pace } from '../row-audit/pace.ts'
import { createRecordReader, type RecordReader } from '../row-audit/record-reader.ts'
import { noRows } from '../row-audit/record-rows.ts'
import { walkStep } from '../row-audit/walk.ts'
import { envelopeOf, type OffsetRange } from '../spans-on-log.ts'
import type { Findings, KeyedReport } from './report.ts'

export interface ByKeyDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly findings: Findings
  readonly maxRecordBytes: number
  /** Of the writers. */
  readonly writeMode: Parameters<typeof createTablesOf>[0]
}

/** Compared by where their rows came from. */
const byProvenance = 'events_full'

const unpaced: Pace = { after: work => work() }

/** Rejects with column_store_*, log_* AppErrors. */
export async function checkByKey(deps: ByKeyDeps, ranges: readonly OffsetRange[]): Promise<readonly KeyedReport[]> {
  const { log, columnStore, findings, writeMode } = deps
  const all = createTablesOf(writeMode)
  const tablesOf: typeof all = (topic, mode) => all(topic, mode).filter(table => table !== byProvenance)
  await catchUp(columnStore, auditedTables)
  const opening = createRecordReader(deps)
  const reader: RecordReader = {
    ...opening,
    // On a deployment without the old tables that is every record of spans: no payload is opened for nothing.
    async read(topic, value, timestampMs) {
      const { writeMode } = envelopeOf(value, timestampMs)
      return tablesOf(topic, writeMode).length === 0 ? { ...noRows(), writeMode } : opening.read(topic, value, timestampMs)
    },
  }
  const walking = { log, columnStore, reader, pace: unpaced, tablesOf }
  const reports: KeyedReport[] = []
  try {
    for (const { topic, partition, from, until } of ranges) {
      const total = { spans: 0, deadLettered: 0, missing: 0 }
      for (let next = from; next < until; ) {
        const step = await walkStep(walking, { topic, partition, from: next, until })
        total.spans += step.wanted
        total.deadLettered += step.deadLettered
        for (const { first, last, spans } of step.missing?.runs ?? []) {
          total.missing += spans
          const { example, table = '' } = step.missing!
          findings.add({ kind: 'missing', topic, partition, first, last, spans, table, example })
        }
        next = step.next
      }
      if (total.spans > 0) reports.push({ topic, partition, from, until, ...total })
    }
  } finally {
    await reader.stop()
  }
  return reports
}
