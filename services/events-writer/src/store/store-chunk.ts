// Brings a chunk into the tables exactly once. A fresh token, an answer and the same engine before and after are trusted; after
// anything else (an open intent, an error, a timeout, another engine process) it looks, and goes on until it sees the rows.
import { randomUUID } from 'node:crypto'
import type { ColumnStore } from '@svc-server/column-store'
import { AppError } from '@svc-server/errors'
import type { EncodedChunk } from '@svc-server/observations'
import { type Backoff, mayPass } from '@svc-server/stream'
import type { Logger, Metrics } from '@svc-server/telemetry'
import type { writerMetrics } from '../metrics.ts'
import { healCore } from './heal.ts'
import { type ChunkRange, look, type Month } from './look.ts'
import { tokenOf } from './token.ts'

export interface StoreRequest {
  readonly range: ChunkRange
  readonly logId: string
  readonly projects: readonly string[]
  /** The whole chunk. */
  readonly encoded: EncodedChunk
  /** The chunk's rows of some months only. */
  readonly encodeOnly: (months: ReadonlySet<number>) => Promise<EncodedChunk>
  /** An earlier try may have stored it, wholly or in part. */
  readonly inDoubt: boolean
  readonly backoff: Backoff
}

export interface ChunkStore {
  /** Resolves when every row is in both tables. Rejects with an AppError: one that may pass leaves the outcome open. */
  store(request: StoreRequest): Promise<void>
  /** Waits for the column store: encoding for one that is down is work thrown away. */
  reachable(backoff: Backoff): Promise<void>
}

export interface ChunkStoreDeps {
  readonly columnStore: ColumnStore
  readonly group: string
  readonly logger: Logger
  readonly metrics: Metrics<typeof writerMetrics>
}

interface Attempt {
  readonly block: EncodedChunk
  readonly months: ReadonlySet<number>
  readonly number: number
  readonly label: string
}

interface Survey {
  /** Months to insert again. */
  readonly missing: ReadonlySet<number>
  /** Those among them that nobody can see: newer rows have every probed key. */
  readonly hidden: ReadonlySet<number>
}

const table = 'events_full'

export function createChunkStore({ columnStore, group, logger, metrics }: ChunkStoreDeps): ChunkStore {
  let lastEngine: string | null = null

  const identify = async (): Promise<string> => (lastEngine = (await columnStore.identify()).startedAt)

  const token = ({ range, logId }: StoreRequest, into: string, hash: string, attempt: string) =>
    tokenOf({
      logId,
      group,
      topic: range.topic,
      partition: range.partition,
      first: range.first,
      last: range.last,
      table: into,
      hash,
      attempt,
    })

  /** One try. True when its answer can be trusted: the same engine process before and after. */
  async function insert(request: StoreRequest, { block, label }: Attempt): Promise<boolean> {
    const before = lastEngine ?? (await identify())
    const startedAt = performance.now()
    const observe = (outcome: 'stored' | 'unsure' | 'failed') =>
      metrics.insertSeconds.observe({ outcome }, (performance.now() - startedAt) / 1000)
    try {
      const { columns, body } = block
      await columnStore.insert({ table, columns, body, token: token(request, table, block.hash, label) })
      const trusted = (await identify()) === before
      observe(trusted ? 'stored' : 'unsure')
      metrics.insertRows.observe(block.rows)
      metrics.insertBytes.observe(body.reduce((sum, part) => sum + part.byteLength, 0))
      return trusted
    } catch (error) {
      observe('failed')
      throw error
    }
  }

  /** What has to be inserted again. `proven` are months that an answer under a token of its own stands for. */
  async function survey(request: StoreRequest, proven: ReadonlySet<number>): Promise<Survey> {
    const missing = new Set<number>()
    const hidden = new Set<number>()
    for (const month of request.encoded.months) {
      const { full, core } = await look(columnStore, request.range, month)
      if (full === 'absent' || (full === 'superseded' && !proven.has(month.month))) {
        missing.add(month.month)
        if (full === 'superseded') hidden.add(month.month)
      } else if (core !== 'present') await heal(request, month)
    }
    return { missing, hidden }
  }

  async function heal(request: StoreRequest, { month, ...probed }: Month): Promise<void> {
    metrics.monthsHealed.inc({ table: 'events_core' })
    const { range, projects, encoded } = request
    await healCore(columnStore, { range, month, projects, token: token(request, 'events_core', encoded.hash, `${month}-${randomUUID()}`) })
    if ((await look(columnStore, range, { month, ...probed })).core === 'absent') throw notSeen('events_core')
  }

  /**
   * The same block under the same token comes first: a first try that is still running cannot be stored twice then. Once the token was
   * answered and the rows are not there, it is burnt, and the next number is taken. For hidden rows only a token that nobody can have
   * used before makes an answer worth something.
   */
  async function nextAttempt(request: StoreRequest, last: Attempt, { missing, hidden }: Survey, answered: boolean): Promise<Attempt> {
    const same = missing.size === last.months.size && [...missing].every(month => last.months.has(month))
    if (same && !answered && hidden.size === 0) return last
    const number = last.number + 1
    const label = hidden.size > 0 ? `${number}-${randomUUID()}` : String(number)
    if (same) return { ...last, number, label }
    const block = missing.size === request.encoded.months.length ? request.encoded : await request.encodeOnly(missing)
    return { block, months: missing, number, label }
  }

  async function storeAndLook(request: StoreRequest, attempt: Attempt, answered: boolean): Promise<void> {
    const proven = new Set<number>()
    for (;;) {
      try {
        const found = await survey(request, proven)
        if (found.missing.size === 0) return
        if (answered) await request.backoff.after(notSeen(table))
        attempt = await nextAttempt(request, attempt, found, answered)
        metrics.monthsHealed.inc({ table }, found.missing.size)
        answered = false
        const trusted = await insert(request, attempt)
        answered = true
        if (trusted) for (const month of found.hidden) proven.add(month)
      } catch (error) {
        if (!mayPass(error)) throw error
        await request.backoff.after(error)
      }
    }
  }

  return {
    async reachable(backoff) {
      await backoff.retry(identify)
    },

    async store(request) {
      const { encoded, inDoubt, backoff, range } = request
      if (encoded.rows === 0) return
      const attempt: Attempt = { block: encoded, months: new Set(encoded.months.map(({ month }) => month)), number: 0, label: '0' }
      if (inDoubt) return storeAndLook(request, attempt, false)
      let answered = false
      try {
        if (await insert(request, attempt)) return
        answered = true
      } catch (error) {
        if (!mayPass(error)) throw error
        const { topic, partition, first, last } = range
        logger.warn({ err: error, topic, partition, first, last }, 'An insert failed: its rows are looked for before it is tried again')
        await backoff.after(error)
      }
      await storeAndLook(request, attempt, answered)
    },
  }
}

const notSeen = (where: string) =>
  new AppError('column_store_unavailable', `an insert into ${where} was answered, and its rows are not there`)
