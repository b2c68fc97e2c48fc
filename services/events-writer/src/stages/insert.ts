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
   * Returns the refused rows, as soon as the table and its dependent table have all other rows. The stage blames the rows and not the
   * table, because the column store refused each returned row individually, but accepted other rows of this chunk or rows of an earlier
   * chunk. Rejects with an AppError if the outcome is unknown.
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
   * A table is in this set if it stored at least one row of the latest chunk that had rows for the table. A table is removed from this set
   * when it accepts no row of a chunk. If a table outside this set accepts no row of a chunk, `settle` throws: without an accepted row, the
   * cause of the refusals may be the table instead of the rows.
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
    // The earlier attempt possibly stored the rows. The new deletions change the block and thus its token, so the engine would not
    // recognize a second insert, and would store most rows twice. A probe therefore looks up which rows are missing.
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
      // If the rules of this attempt differ from the rules in the intent, the note records the rules of this attempt. A later owner of the
      // partition can have the same rules as the intent. Without the note, the later owner would not know that this attempt used other
      // rules. The note contains a digest of the rules. If deletions apply to the chunk, the digest also covers these deletions, because
      // the intent contains no deletions.
      if ((beginning === 'rules_changed' || hasDenied) && rulesOfNote(note) !== rules) await delivery.annotate(noteOf(rules, new Set()))
      if (block === null || block.rows === 0) return []
      const token = tokens(delivery)
      // If the rules have changed, the label makes the token new. Without the label, an unchanged block would have the same token as in the
      // first attempt. If the engine already knew this token, it would silently drop the block.
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
