// Sends heartbeats during a handler's work, because a silent consumer loses its partitions. A refused heartbeat means that a rebalance has
// begun.
import type { PartitionContext } from '@svc-server/log'

export interface KeepAlive {
  /** Aborts when the partition is about to be revoked. The handler must then begin no new work. */
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
