// Inserts a block so that raw rows stay exact. It trusts a fresh token with a response and the same engine before and after. After anything
// else (an open intent, an error, a timeout, another engine process) it probes key by key, until every row is stored or refused alone.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { EventLog } from '@svc-server/log'
import type { Logger } from '@svc-server/service/logs'
import type { Metrics } from '@svc-server/service/metrics'
import { type Backoff, isTransient } from '@svc-server/stream/backoff'
import type { Rejection } from '@svc-server/stream/chunk'
import type { Delivery } from '../deliveries.ts'
import { selectionOf } from '../destinations/row-encoder.ts'
import type { Encoded } from '../encoded.ts'
import { createAttempts, type Outcome } from '../insert/attempt.ts'
import { noteOf, rulesOfNote } from '../insert/pieces.ts'
import { settle } from '../insert/settle.ts'
import { type TokenOf, tokenOf } from '../insert/token.ts'
import type { writerMetrics } from '../metrics.ts'

export interface InsertStage {
  /**
   * Resolves when every row is in the table and in the one that depends on it, but for those that it answers: the column store took others, and
   * refused each of these alone. Rejects with an AppError that leaves the outcome open.
   */
  insert(encoded: Encoded): Promise<readonly Rejection[]>
  /** Waits for the column store: encoding for one that is down is work thrown away. */
  reachable(backoff: Backoff): Promise<void>
}

export interface InsertDeps {
  readonly log: EventLog
  readonly columnStore: ColumnStore
  readonly group: string
  readonly logger: Logger
  readonly metrics: Metrics<typeof writerMetrics>
}

export function createInsertStage({ log, columnStore, group, logger, metrics }: InsertDeps): InsertStage {
  const attempts = createAttempts({ columnStore, logger, metrics })
  /** Tables of which another chunk was stored since the last one that was dead-lettered whole. */
  const othersPass = new Set<string>()

  function tokens({ chunk: { topic, partition, first, last } }: Delivery): TokenOf {
    const logId = log.logId(topic)
    return (table, hash, attempt) => tokenOf({ logId, group, topic, partition, first, last, table, hash, attempt })
  }

  /** The first insert of the whole block, where one comes before all questions. */
  async function begin({ delivery, block }: Encoded, token: string): Promise<Outcome | 'open'> {
    const { beginning, backoff, destination, chunk } = delivery
    const first = () => attempts.insert(destination.table, block!, token)
    if (beginning === 'in_doubt') return 'open'
    // Its token is nobody's, but of the rows that were not deleted most are there: only what lacks is inserted, under the next number.
    if (beginning === 'denied_since') return 'answered'
    if (beginning === 'rules_changed') {
      metrics.rulesChanged.inc()
      return backoff.retry(first)
    }
    try {
      return await first()
    } catch (error) {
      if (!isTransient(error)) throw error
      const { topic, partition, first: from, last } = chunk
      const at = { table: destination.table, topic, partition, first: from, last }
      logger.warn({ err: error, ...at }, 'An insert failed: its rows are probed before it is tried again')
      await backoff.after(error)
      return 'open'
    }
  }

  return {
    async reachable(backoff) {
      await backoff.retry(attempts.identify)
    },

    async insert(encoded) {
      const { delivery, block } = encoded
      const { destination, beginning, rules, note, hasDenied } = delivery
      // Whoever comes next may have the intent's rules again: then it must know that others were at work in between. What was deleted is a rule of
      // which the intent knows nothing yet.
      if ((beginning === 'rules_changed' || hasDenied) && rulesOfNote(note) !== rules) await delivery.annotate(noteOf(rules, new Set()))
      if (block === null || block.rows === 0) return []
      const token = tokens(delivery)
      // A label of its own: the token of the block's first try may be burnt, also where the rules changed nothing of it.
      const label = beginning === 'rules_changed' ? `0-${rules}` : '0'
      const outcome = await begin(encoded, token(destination.table, block.hash, label))
      const isDone = beginning === 'new' && outcome === 'stored'
      const { refused, onOthers } = isDone
        ? nothingRefused
        : await settle(
            { columnStore, metrics, attempts, token, encoded, block, label, othersPass: othersPass.has(destination.table) },
            outcome,
          )
      if (onOthers) othersPass.delete(destination.table)
      else if (refused.length < block.rows) othersPass.add(destination.table)
      return refused.length === 0 ? [] : encoded.refused(selectionOf(refused))
    },
  }
}

const nothingRefused = { refused: [], onOthers: false }
