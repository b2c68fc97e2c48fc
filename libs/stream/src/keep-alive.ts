// Sends heartbeats while a handler works. A consumer that sends no heartbeat for the session timeout loses its partitions, possibly in the
// middle of an insert. A refused heartbeat is also the first sign of a rebalance.
import type { PartitionContext } from '@svc-server/log'

export interface KeepAlive {
  /** Aborts when the partition is being revoked. The handler then finishes the running work and begins no new work. */
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
