import type { ColumnStore } from '@svc-server/column-store/port'
import { isAppError } from '@svc-server/errors'
import type { Logger } from '@svc-server/service/logs'
import type { Metrics } from '@svc-server/service/metrics'
import type { EncodedRows } from '../destinations/row-encoder.ts'
import type { writerMetrics } from '../metrics.ts'

/**
 * Only `stored` proves that the rows are stored. `answered` means that the engine responded, but that different engine processes ran before
 * and after the insert, for example because the engine restarted. The rows can therefore be missing.
 */
export type Outcome = 'stored' | 'answered' | 'refused'

export interface Attempts {
  /** Rejects with an AppError if the outcome is unknown. */
  insert(table: string, block: EncodedRows, token: string): Promise<Outcome>
  /**
   * Returns an id of the running engine process. The id is empty on replicated tables, because a load balancer can send each request to a
   * different process. Replicated tables need no id. In such a table, the engine stores the token of an insert together with the rows, so
   * the token proves that the rows are stored.
   */
  identify(): Promise<string>
}

export interface AttemptsDeps {
  readonly columnStore: ColumnStore
  readonly logger: Logger
  readonly metrics: Metrics<typeof writerMetrics>
}

export function createAttempts({ columnStore, logger, metrics }: AttemptsDeps): Attempts {
  let lastEngine: string | null = null

  async function identify(): Promise<string> {
    if (columnStore.replicated) {
      await columnStore.query('SELECT 1')
      return (lastEngine = '')
    }
    return (lastEngine = (await columnStore.identify()).startedAt)
  }

  return {
    identify,
    async insert(table, { columns, body, rows }, token) {
      const before = lastEngine ?? (await identify())
      const startedAt = performance.now()
      const observe = (outcome: 'stored' | 'unsure' | 'failed') =>
        metrics.insertSeconds.observe({ outcome }, (performance.now() - startedAt) / 1000)
      try {
        await columnStore.insert({ table, columns, body, token })
        const trusted = columnStore.replicated || (await identify()) === before
        observe(trusted ? 'stored' : 'unsure')
        metrics.insertRows.observe(rows)
        metrics.insertBytes.observe(body.reduce((sum, part) => sum + part.byteLength, 0))
        return trusted ? 'stored' : 'answered'
      } catch (error) {
        observe('failed')
        if (isAppError(error) && error.code === 'column_store_refused') {
          logger.warn({ err: error, table, rows }, 'The column store refused a block; its halves are tried separately')
          return 'refused'
        }
        throw error
      }
    },
  }
}
