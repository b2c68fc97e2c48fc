// Sends heartbeats while a handler works. A consumer that is silent for the session timeout loses its partitions in
// the middle of an insert. A refused heartbeat is also the first notice of a rebalance.
import type { PartitionContext } from '@svc-server/log'

export interface KeepAlive {
  /** Aborts when the partition is being revoked: the handler finishes running work and begins nothing new. */
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
