// Copies missing rows to the dependent table (the table that a view fills). A row is missing if the dependent table lacks the row's key. An
// insert creates data parts in the table that the insert names, and in the dependent table. The engine writes the parts of the dependent
// table last. If the engine dies before it writes these parts, the rows are only in the table that the insert named.
import { literal } from '@svc-server/column-store/literal'
import type { ColumnStore } from '@svc-server/column-store/port'
import { catchUp } from '@svc-server/column-store/replicas'
import type { Metrics } from '@svc-server/service/metrics'
import type { Backoff } from '@svc-server/stream/backoff'
import { type Destination, tablesOf } from '../destinations/destination.ts'
import type { RowPlace } from '../destinations/row-encoder.ts'
import type { writerMetrics } from '../metrics.ts'
import { absentIn, notSeen, type Probing } from './probe.ts'
import { type RefillBatch, refillBatches } from './refill-batches.ts'
import { refillStatement } from './refill-statement.ts'
import type { TokenOf } from './token.ts'

export interface RefillDeps extends Probing {
  readonly metrics: Metrics<typeof writerMetrics>
  readonly token: TokenOf
  readonly backoff: Backoff
}

/** Rejects with an AppError if the outcome is unknown. */
export async function refill(deps: RefillDeps, rows: readonly RowPlace[]): Promise<void> {
  const { columnStore, metrics, destination, token, backoff } = deps
  const { table } = destination.dependent!
  metrics.rowsReinserted.inc({ table }, rows.length)
  let lacking = rows
  for (let attempt = 0; lacking.length > 0; attempt++) {
    for (const batch of refillBatches(lacking)) {
      await backoff.retry(() => copy(columnStore, destination, batch, token(table, batch.hash, String(attempt))))
    }
    const asked = lacking
    lacking = await backoff.retry(async () => {
      await catchUp(columnStore, tablesOf(destination))
      return absentIn(deps, table, asked)
    })
    if (lacking.length > 0) await backoff.after(notSeen(table))
  }
}

/** Rejects with a column_store_* AppError. */
const copy = (columnStore: ColumnStore, destination: Destination, batch: RefillBatch, token: string): Promise<void> =>
  columnStore.command(`${refillStatement(destination, batch.rows)}, insert_deduplication_token = ${literal(token)}`)
