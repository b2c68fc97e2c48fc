// Reads models, prices, and prompts from the relational store at startup and periodically. Chunks never wait for a refresh:
// while the store is unavailable, the last snapshot stays in use.
import type { CatalogueSnapshot } from '@svc-server/pricing/snapshot'
import type { Logger } from '@svc-server/service/logs'

export interface CatalogueRefresh {
  /** The newest snapshot; available only after `start`. */
  current(): CatalogueSnapshot
  /** Reads the first snapshot. Rejects when the store cannot be read. */
  start(): Promise<void>
  /** Resolves when no read is running. */
  stop(): Promise<void>
}

export interface CatalogueRefreshOptions {
  readonly load: () => Promise<CatalogueSnapshot>
  readonly intervalMs: number
  readonly logger: Logger
}

export function createCatalogueRefresh({ load, intervalMs, logger }: CatalogueRefreshOptions): CatalogueRefresh {
  let snapshot: CatalogueSnapshot | undefined
  let timer: NodeJS.Timeout | undefined
  let reading: Promise<void> = Promise.resolve()
  let stopped = false

  async function refresh(): Promise<void> {
    try {
      const loaded = await load()
      // Unchanged content keeps its object, so that nothing is sent to the encoding thread again.
      if (loaded.version !== snapshot?.version) snapshot = loaded
    } catch (error) {
      logger.warn({ err: error, catalogue: snapshot?.version }, 'Models and prices could not be reloaded; the previous ones stay in use')
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
      if (snapshot === undefined) throw new Error('the catalogue was asked for before it was started')
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
