// Two processors as one service: they share nothing but the process.
import type { Service } from '@svc-server/service/lifecycle'

/** Started one after the other, drained side by side: each whatever becomes of the other. Rejects with the first failure. */
export function startedTogether(...processors: readonly Service[]): Service {
  return {
    async start() {
      for (const processor of processors) await processor.start()
    },
    async drain() {
      const ends = await Promise.allSettled(processors.map(processor => processor.drain()))
      for (const end of ends) if (end.status === 'rejected') throw end.reason
    },
  }
}
