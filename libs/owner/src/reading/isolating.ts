// Reads bodies in threads, and isolates bodies that trigger a bug. After a failure, the items are halved repeatedly until the bad items are
// found.
import { AppError, isAppError } from '@svc-server/errors'

export interface IsolatingReaders<Item, Result> {
  read(items: readonly Item[]): Promise<Result>
  stop(): Promise<void>
}

interface IsolatingOptions<Item, Result> {
  readonly pool: { stop(): Promise<unknown> }
  readonly run: (items: readonly Item[]) => Promise<Result>
  /** Returns the result for an item that makes its thread crash. */
  readonly failed: (item: Item, error: unknown) => Result
  readonly join: (results: readonly Result[]) => Result
}

export function createIsolatingReaders<Item, Result>({
  pool,
  run,
  failed,
  join,
}: IsolatingOptions<Item, Result>): IsolatingReaders<Item, Result> {
  let stopped = false

  async function attempt(items: readonly Item[]): Promise<Result> {
    if (stopped) throw new AppError('draining', 'the reading threads are stopped')
    return run(items)
  }

  async function isolate(items: readonly Item[], error: unknown): Promise<Result> {
    if (stopped || isAppError(error)) throw error
    if (items.length === 1) return failed(items[0]!, error)
    const middle = items.length >> 1
    const halves: Result[] = []
    for (const half of [items.slice(0, middle), items.slice(middle)]) {
      halves.push(await attempt(half).catch((reason: unknown) => isolate(half, reason)))
    }
    return join(halves)
  }

  return {
    // A crashed thread is replaced, and the call is retried once.
    read: items => attempt(items).catch(() => attempt(items).catch((error: unknown) => isolate(items, error))),
    async stop() {
      stopped = true
      await pool.stop()
    },
  }
}
