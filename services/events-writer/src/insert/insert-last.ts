// Inserts rows that must win over all rows with the same key and version.
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
 * The insert has a new token, so the engine cannot treat the insert as a duplicate of an earlier insert. If the same engine process
 * ran before and after the insert, a successful response therefore proves that the rows are stored. Retries after a failed attempt use the
 * same token. The engine therefore drops a delayed attempt that arrives after a successful retry. Such an attempt could otherwise put old
 * rows after newer rows. If a row was already stored before the call, the table has two raw rows for it after the call. Returns the rows
 * that the column store refused individually. Rejects with an AppError if the outcome is unknown.
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
