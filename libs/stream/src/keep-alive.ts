// Sends heartbeats while a handler is working. If a consumer sends no heartbeat during the session timeout, it loses its partitions,
// possibly in the middle of an insert. A heartbeat that is refused is also the first sign of a rebalance.
import type { PartitionContext } from '@svc-server/log'

export interface KeepAlive {
  /** Aborts when the partition is about to be revoked. The handler then finishes its current work and begins no new work. */
  readonly signal: AbortSignal
  stop(): void
}

export function keepAlive(context: PartitionContext, intervalMs: number): KeepAlive {
  const lost = new AbortController()
  const timer = setInterval(() => {
    context.heartbeat().catch(error => lost.abort(error))
  }, intervalMs)
  return { signal: AbortSignal.any([context.signal, lost.signal]), stop: () => clearInterval(timer) }
}
