// Runs PGlite in a separate thread, because PGlite blocks its thread during a query. On the main thread, three hundred lookups of wrong
// keys per second would block all other requests (F53).
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { PGliteDialectConfig } from 'kysely'
import type { EmbeddedAnswer, EmbeddedRequest } from './embedded-worker.ts'
import { parseColumns } from './json-columns.ts'
import type { TableChanges } from './table-changes.ts'

type PGliteLike = Exclude<PGliteDialectConfig['pglite'], (...args: never[]) => unknown>
type Results<T> = { rows: T[]; affectedRows?: number; fields: [] }

const openingId = 0

interface Pending {
  readonly resolve: (answer: Extract<EmbeddedAnswer, { readonly rows: unknown }>) => void
  readonly reject: (error: Error) => void
}

/** Rejects with PGlite's error. An unexpected end of the thread also ends the process. */
export async function openEmbeddedThread(directory: string, changes: Pick<TableChanges, 'executed' | 'ended'>): Promise<PGliteLike> {
  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), { workerData: { directory } })
  const pending = new Map<number, Pending>()
  let lastId = openingId
  let closed = false
  let transaction: Promise<unknown> = Promise.resolve()

  worker.on('message', (answer: EmbeddedAnswer) => {
    const waiting = pending.get(answer.id)
    pending.delete(answer.id)
    // A thread without pending queries does not keep the process alive.
    if (pending.size === 0) worker.unref()
    if ('rows' in answer) waiting?.resolve(answer)
    else waiting?.reject(Object.assign(new Error(answer.failed.message), answer.failed))
  })
  worker.on('exit', () => {
    closed = true
    for (const { reject } of pending.values()) reject(new Error('PGlite is closed.'))
    pending.clear()
  })

  const answerTo = (id: number) =>
    new Promise<Extract<EmbeddedAnswer, { readonly rows: unknown }>>((resolve, reject) => {
      worker.ref()
      pending.set(id, { resolve, reject })
    })
  const ask = (query: EmbeddedRequest['query']) => {
    if (closed) return Promise.reject(new Error('PGlite is closed.'))
    const id = ++lastId
    const answer = answerTo(id)
    worker.postMessage({ id, ...(query && { query }) } satisfies EmbeddedRequest)
    return answer
  }
  async function query<T>(sql: string, parameters: unknown[] = []): Promise<Results<T>> {
    const { rows, json, affectedRows } = await ask({ sql, parameters })
    changes.executed(sql)
    parseColumns(rows, json)
    return { rows: rows as T[], fields: [], ...(affectedRows !== undefined && { affectedRows }) }
  }

  await answerTo(openingId).catch(async (error: unknown) => {
    await worker.terminate()
    throw error
  })

  return {
    ready: true,
    waitReady: Promise.resolve(),
    get closed() {
      return closed
    },
    query,
    /** Only one transaction runs at a time, as in PGlite itself. */
    transaction(work) {
      const run = transaction.then(async () => {
        await query('begin')
        try {
          const result = await work({ query, rollback: async () => void (await query('rollback')) })
          await query('commit')
          changes.ended()
          return result
        } catch (error) {
          await query('rollback')
          changes.ended()
          throw error
        }
      })
      transaction = run.catch(() => {})
      return run
    },
    async close() {
      const ended = once(worker, 'exit')
      await ask(undefined)
      closed = true
      // Keeps the process alive until the thread ends.
      worker.ref()
      await ended
    },
  }
}
