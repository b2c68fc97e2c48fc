// Records of the topic `ledger`, as rows of ingest_ledger: many in one insert, since each stands for a range
// of its own.
import { randomUUID } from 'node:crypto'
import type { ColumnStore } from '@svc-server/column-store/port'
import type { EventLog } from '@svc-server/log'
import type { LedgerRecord } from '@svc-server/schema/ledger-record'
import { ledgerRow, ledgerRowNames } from './ledger.ts'
import { noDestination } from './ledger-destination.ts'

/**
 * May be repeated: rows of one key replace each other. Rejects with a column_store_* AppError; then some of
 * them may be there.
 */
export async function storeLedgerRecords(
  { log, columnStore }: { readonly log: EventLog; readonly columnStore: ColumnStore },
  records: readonly LedgerRecord[],
): Promise<void> {
  if (records.length === 0) return
  const rows = records.map(record =>
    JSON.stringify(ledgerRow(log.logId(record.topic), { ...record, destination: record.destination ?? noDestination, bodyHash: '' })),
  )
  // A token of its own for every try: one that was used may be burnt, its insert answers "done" and stores
  // nothing.
  await columnStore.command(
    `INSERT INTO ingest_ledger (${ledgerRowNames})
     SETTINGS async_insert = 0, insert_deduplication_token = '${randomUUID()}'
     FORMAT JSONEachRow\n${rows.join('\n')}`,
  )
}
