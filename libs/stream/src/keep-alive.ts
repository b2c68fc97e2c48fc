// Sends heartbeats during a handler's work. A consumer without heartbeats for the session timeout loses its partitions, possibly in the
// middle of an insert. If the brokers refuse a heartbeat, a rebalance has begun.
import type { PartitionContext } from '@svc-server/log'

export interface KeepAlive {
  /** Aborts when the partition is about to be revoked. The handler must finish its current work and begin no new work. */
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
