// Reads models, prices, and prompts from the relational store, at startup and then periodically. While the store is unavailable, the last
// snapshot stays in use.
import type { CatalogSnapshot } from '@svc-server/pricing/snapshot'
import type { Logger } from '@svc-server/service/logs'

export interface CatalogRefresh {
  /** Call it only after `start`. */
  current(): CatalogSnapshot
  /** Rejects if the store cannot be read. */
  start(): Promise<void>
  /** Ends the periodic reads, and waits until a running read has ended. */
  stop(): Promise<void>
}

export interface CatalogRefreshOptions {
  readonly load: () => Promise<CatalogSnapshot>
  readonly intervalMs: number
  readonly logger: Logger
}

export function createCatalogRefresh({ load, intervalMs, logger }: CatalogRefreshOptions): CatalogRefresh {
  let snapshot: CatalogSnapshot | undefined
  let timer: NodeJS.Timeout | undefined
  let reading: Promise<void> = Promise.resolve()
  let stopped = false

  async function refresh(): Promise<void> {
    try {
      const loaded = await load()
      // If the version is unchanged, the old object is kept, so that it is not sent to the encoding thread again.
      if (loaded.version !== snapshot?.version) snapshot = loaded
    } catch (error) {
      logger.warn({ err: error, catalog: snapshot?.version }, 'Models and prices could not be reloaded; the previous ones stay in use')
    }
    schedule()
  }

  function schedule(): void {
    if (stopped) return
    timer = setTimeout(() => {
      reading = refresh()
    }, intervalMs)
    timer.unref()
  }

  return {
    current() {
      if (snapshot === undefined) throw new Error('the catalog was used before it was started')
      return snapshot
    },
    async start() {
      snapshot = await load()
      schedule()
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await reading
    },
  }
}
