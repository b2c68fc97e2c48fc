// Checks the ledger of each table other than the events tables.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { EventLog, TopicDescription } from '@svc-server/log'
import { tablesOf } from '@svc-server/modes/flows'
import { writeModes } from '@svc-server/modes/write-mode'
import { auditLedger } from '../audit.ts'
import { mayBeginLater } from '../ledger-destination.ts'
import type { Findings } from './report.ts'

export interface OtherTablesDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly group: string
  readonly findings: Findings
  readonly newest: number
}

/** Skips each table that has never received rows, because the ledger does not mention this table. */
export async function checkOtherTables(
  { log, columnStore, group, findings, newest }: OtherTablesDeps,
  topics: readonly TopicDescription[],
) {
  const named = await columnStore.query<{ log_id: string; topic: string; destination: string }>(
    `SELECT DISTINCT log_id, topic, destination FROM ingest_ledger
     WHERE log_id IN {logIds:Array(String)} AND consumer_group = {group:String} ORDER BY destination`,
    { logIds: [...new Set(topics.map(({ spec }) => log.logId(spec.name)))], group },
  )
  for (const { spec, partitions } of topics) {
    const topic = spec.name
    const committed = await log.committed(group, topic)
    const ofTopic = named.filter(one => one.topic === topic && one.log_id === log.logId(topic))
    for (const { destination } of ofTopic.filter(one => mayBeginLater(one.destination))) {
      // If a table gets records of only some write modes, its gaps are not faults.
      const gaps = !isPartial(topic, destination)
      for (const { partition, lowWatermark } of partitions) {
        const until = Math.max(lowWatermark, committed.get(partition)?.offset ?? 0)
        const range = { topic, partition, from: Math.max(lowWatermark, until - newest), until }
        const { faults } = await auditLedger({ log, columnStore, group, destinations: [destination] }, range, { whole: true, gaps })
        for (const { kind, first, last, spans } of faults)
          findings.add({ kind: `ledger_${kind}`, topic, partition, first, last, spans, table: destination })
      }
    }
  }
}

function isPartial(topic: string, table: string): boolean {
  const takes = writeModes.filter(mode => tablesOf(topic, mode).some(name => name === table))
  return takes.length > 0 && takes.length < writeModes.length
}
