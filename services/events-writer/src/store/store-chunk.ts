// Brings a chunk into the tables, raw rows exact. A fresh token, an answer and the same engine before and after are trusted; after anything else (an
// open intent, an error, a timeout, another engine process) it probes key by key, and goes on until every row is there or refused alone.
import type { ColumnStore } from '@svc-server/column-store'
import { isAppError } from '@svc-server/errors'
import type { EncodedChunk, RowPlace, RowSelection } from '@svc-server/observations'
import type { Logger } from '@svc-server/service/logs'
import type { Metrics } from '@svc-server/service/metrics'
import { type Backoff, isTransient } from '@svc-server/stream'
import type { writerMetrics } from '../metrics.ts'
import { createChunkRun } from './chunk-run.ts'
import { tokenOf } from './token.ts'

/**
 * What is known of earlier tries. `rules_changed`: there may have been one, under rules that made other rows of the same records; today's are inserted
 * whatever is there.
 */
export type Beginning = 'new' | 'in_doubt' | 'rules_changed'

export interface StoreRequest {
  readonly range: { readonly topic: string; readonly partition: number; readonly first: number; readonly last: number }
  readonly logId: string
  /** The whole chunk. */
  readonly encoded: EncodedChunk
  /** Who the rows are, in the order of the block. */
  readonly places: () => Promise<readonly RowPlace[]>
  /** Some rows of the chunk. */
  readonly encodeOnly: (rows: RowSelection) => Promise<EncodedChunk>
  readonly beginning: Beginning
  /** Names the rules by which the chunk is encoded. */
  readonly rules: string
  /** What an earlier try noted about cuts. */
  readonly note: string
  readonly annotate: (note: string) => Promise<void>
  readonly backoff: Backoff
}

export interface ChunkStore {
  /**
   * Resolves when every row is in both tables, but for those that it answers: the column store took others, and refused each of these alone. Rejects
   * with an AppError that leaves the outcome open.
   */
  store(request: StoreRequest): Promise<readonly RowPlace[]>
  /** Waits for the column store: encoding for one that is down is work thrown away. */
  reachable(backoff: Backoff): Promise<void>
}

export interface ChunkStoreDeps {
  readonly columnStore: ColumnStore
  readonly group: string
  readonly logger: Logger
  readonly metrics: Metrics<typeof writerMetrics>
}

/** What one insert came to. Only `stored` proves anything. */
export type Outcome = 'stored' | 'answered' | 'refused'

const table = 'events_full'

export function createChunkStore({ columnStore, group, logger, metrics }: ChunkStoreDeps): ChunkStore {
  let lastEngine: string | null = null
  /** Another chunk was stored since the last one that was dead-lettered whole. */
  let othersPass = false

  /** Behind a balancer every answer may come from another server, and on replicated tables a token and its part are written together. */
  const identify = async (): Promise<string> => {
    if (columnStore.replicated) {
      await columnStore.query('SELECT 1')
      return (lastEngine = '')
    }
    return (lastEngine = (await columnStore.identify()).startedAt)
  }

  function createToken({ range, logId }: StoreRequest) {
    return (into: string, hash: string, attempt: string) => tokenOf({ logId, group, ...range, table: into, hash, attempt })
  }

  async function insert(block: EncodedChunk, token: string): Promise<Outcome> {
    const before = lastEngine ?? (await identify())
    const startedAt = performance.now()
    const observe = (outcome: 'stored' | 'unsure' | 'failed') =>
      metrics.insertSeconds.observe({ outcome }, (performance.now() - startedAt) / 1000)
    try {
      const { columns, body } = block
      await columnStore.insert({ table, columns, body, token })
      const trusted = columnStore.replicated || (await identify()) === before
      observe(trusted ? 'stored' : 'unsure')
      metrics.insertRows.observe(block.rows)
      metrics.insertBytes.observe(body.reduce((sum, part) => sum + part.byteLength, 0))
      return trusted ? 'stored' : 'answered'
    } catch (error) {
      observe('failed')
      if (isAppError(error) && error.code === 'column_store_refused') {
        logger.warn({ err: error, rows: block.rows }, 'The column store refused a block: its rows are tried in halves')
        return 'refused'
      }
      throw error
    }
  }

  async function bring(request: StoreRequest): Promise<readonly RowPlace[]> {
    const { encoded, beginning, backoff, range, rules } = request
    const token = createToken(request)
    let outcome: Outcome | 'open' = 'open'
    // A label of its own: the token of the block's first try may be burnt, also where the rules changed nothing of it.
    const label = beginning === 'rules_changed' ? `0-${rules}` : '0'
    const first = () => insert(encoded, token(table, encoded.hash, label))
    if (beginning === 'new') {
      try {
        outcome = await first()
        if (outcome === 'stored') return []
      } catch (error) {
        if (!isTransient(error)) throw error
        logger.warn({ err: error, ...range }, 'An insert failed: its rows are probed before it is tried again')
        await backoff.after(error)
      }
    } else if (beginning === 'rules_changed') {
      metrics.rulesChanged.inc()
      outcome = await backoff.retry(first)
    }
    const run = createChunkRun({ columnStore, metrics, insert, token, request, label, othersPass })
    const { refused, onOthers } = await run(await request.places(), outcome)
    if (onOthers) othersPass = false
    return refused
  }

  return {
    async reachable(backoff) {
      await backoff.retry(identify)
    },

    async store(request) {
      if (request.encoded.rows === 0) return []
      const refused = await bring(request)
      if (refused.length < request.encoded.rows) othersPass = true
      return refused
    },
  }
}
