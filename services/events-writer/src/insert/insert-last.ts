// Inserts rows that must win over all other rows with the same key and version, whatever the table already contains.
import { randomUUID } from 'node:crypto'
import type { Metrics } from '@svc-server/service/metrics'
import { type RowPlace, selectionOf } from '../destinations/row-encoder.ts'
import type { Encoded } from '../encoded.ts'
import type { writerMetrics } from '../metrics.ts'
import type { Attempts } from './attempt.ts'
import { notSeen } from './probe.ts'
import type { TokenOf } from './token.ts'

export interface InsertLastDeps {
  readonly metrics: Metrics<typeof writerMetrics>
  readonly attempts: Attempts
  readonly token: TokenOf
  readonly encoded: Encoded
}

/**
 * Inserts the rows under a new token. The engine cannot discard them as a duplicate, so its response proves that they are stored, if the
 * engine process has not been replaced meanwhile. Until a response arrives, every retry uses the same token. The engine then discards a
 * late attempt as a duplicate instead of storing old rows after newer rows. The new token can cause some raw rows to be stored twice.
 * Returns the rows that the column store refused individually. Rejects with an AppError if it is unknown whether the rows are stored.
 */
export async function insertLast(deps: InsertLastDeps, rows: readonly RowPlace[]): Promise<readonly RowPlace[]> {
  const { metrics, attempts, token, encoded } = deps
  const { table } = encoded.delivery.destination
  if (rows.length === 0) return []
  const block = await encoded.only(selectionOf(rows))
  metrics.rowsReinserted.inc({ table }, rows.length)
  let label = `last-${randomUUID()}`
  const outcome = await encoded.delivery.backoff.retry(async () => {
    const answer = await attempts.insert(table, block, token(table, block.hash, label))
    if (answer !== 'answered') return answer
    label = `last-${randomUUID()}`
    throw notSeen(table)
  })
  if (outcome === 'stored') return []
  if (rows.length === 1) return rows
  const refused: RowPlace[] = []
  for (const row of rows) for (const one of await insertLast(deps, [row])) refused.push(one)
  return refused
}
