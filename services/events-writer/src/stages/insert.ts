// Inserts a block so that each raw row is stored once. An insert is trusted if its token was new and the same engine process ran before
// and after it. In any other case, the stage probes key by key, until every row is stored or refused.
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
   * Resolves when the table and its dependent table have every row except the returned rows. The column store refused each returned row
   * individually, and accepted other rows. Rejects with an AppError if the outcome is unknown.
   */
  insert(encoded: Encoded): Promise<readonly Rejection[]>
  /** Waits until the column store responds. Called before the encoding, so that no chunk is encoded while the store is down. */
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
  /**
   * Tables that accepted rows of their last chunk. A table is added to this set when it stores a row, and removed when it accepts no row of
   * a chunk.
   */
  const othersPass = new Set<string>()

  function tokens({ chunk: { topic, partition, first, last } }: Delivery): TokenOf {
    const logId = log.logId(topic)
    return (table, hash, attempt) => tokenOf({ logId, group, topic, partition, first, last, table, hash, attempt })
  }

  async function begin({ delivery, block }: Encoded, token: string): Promise<Outcome | 'open'> {
    const { beginning, backoff, destination, chunk } = delivery
    const first = () => attempts.insert(destination.table, block!, token)
    if (beginning === 'in_doubt') return 'open'
    // The new deletions change the block and thus its token, so an insert would store most rows twice. A probe therefore looks up which
    // rows are missing.
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
      logger.warn({ err: error, ...at }, 'An insert failed: its rows are looked up before the retry')
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
      // If this attempt uses other rules than the intent, the note records the rules of this attempt. A later owner of the partition
      // possibly uses the rules of the intent. Without the note, this owner would not know that an attempt used other rules. If deletions
      // apply to the chunk, the digest in the note also covers these deletions, because the intent contains no deletions.
      if ((beginning === 'rules_changed' || hasDenied) && rulesOfNote(note) !== rules) await delivery.annotate(noteOf(rules, new Set()))
      if (block === null || block.rows === 0) return []
      const token = tokens(delivery)
      // If the rules have changed, the label makes the token new. Without the label, an unchanged block would have the same token as in the
      // first attempt, and the engine could already know this token.
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
