// Sends heartbeats while a handler works, because a consumer without heartbeats loses its partitions. If a heartbeat is refused, a
// rebalance has begun.
import type { PartitionContext } from '@svc-server/log'

export interface KeepAlive {
  /** Aborts when the partition will soon be revoked. The handler must then begin no new work. */
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
