// Reads the records of the ledger and of the row audit, and returns how many items are missing.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { EventLog } from '@svc-server/log'

type Reads = Pick<ColumnStore, 'query'>

/** Returns, by topic, how many items the ledger counts as received but not as stored, dead-lettered or denied. */
export async function ledgerDifferences({ query }: Reads): Promise<readonly { readonly topic: string; readonly items: number }[]> {
  const rows = await query<{ topic: string; difference: string }>(
    `SELECT topic, toString(sum(toInt64(spans) - toInt64(rows) - toInt64(dead_lettered) - toInt64(denied))) AS difference
     FROM ingest_ledger FINAL GROUP BY topic HAVING difference != '0' ORDER BY topic`,
  )
  return rows.map(({ topic, difference }) => ({ topic, items: Number(difference) }))
}

export interface MissingOfTopic {
  readonly topic: string
  readonly items: number
  readonly ranges: number
}

/** Findings about a former log are ignored. */
export async function missingOfAudit({ query }: Reads, log: Pick<EventLog, 'logId'>): Promise<readonly MissingOfTopic[]> {
  const rows = await query<{ topic: string; id: string; ranges: string; spans: string }>(
    `SELECT topic, log_id AS id, sum(length(found)) AS ranges, sum(arraySum(found)) AS spans FROM (
       SELECT topic, log_id, arrayMap(each -> JSONExtractUInt(each, 'spans'), JSONExtractArrayRaw(argMax(missing, written_at))) AS found
       FROM ingest_audit GROUP BY topic, log_id, partition
     ) GROUP BY topic, log_id HAVING ranges > 0 ORDER BY topic`,
  )
  return rows
    .filter(({ topic, id }) => log.logId(topic) === id)
    .map(({ topic, ranges, spans }) => ({ topic, items: Number(spans), ranges: Number(ranges) }))
}
