// Writes records of the topic `ledger` to ingest_ledger, with many rows per insert.
import { randomUUID } from 'node:crypto'
import type { ColumnStore } from '@svc-server/column-store/port'
import type { EventLog } from '@svc-server/log'
import type { LedgerRecord } from '@svc-server/schema/ledger-record'
import { ledgerRow, ledgerRowNames } from './ledger.ts'
import { noDestination } from './ledger-destination.ts'

/**
 * The function can be called again for the same records, because rows with the same key replace each other. Rejects with a column_store_*
 * AppError. Some rows may be stored despite an error.
 */
export async function storeLedgerRecords(
  { log, columnStore }: { readonly log: EventLog; readonly columnStore: ColumnStore },
  records: readonly LedgerRecord[],
): Promise<void> {
  if (records.length === 0) return
  const rows = records.map(record =>
    JSON.stringify(ledgerRow(log.logId(record.topic), { ...record, destination: record.destination ?? noDestination, bodyHash: '' })),
  )
  // Each insert has a new token. If an insert had the token of an earlier insert, the engine could report success but store nothing.
  await columnStore.command(
    `INSERT INTO ingest_ledger (${ledgerRowNames})
     SETTINGS async_insert = 0, insert_deduplication_token = '${randomUUID()}'
     FORMAT JSONEachRow\n${rows.join('\n')}`,
  )
}
