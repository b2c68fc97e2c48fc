// Acknowledges and discards metrics. SDKs send metrics to the base URL of their spans, and would retry refused exports forever.
import type { Exchange } from './exchange.ts'
import type { GatewayMetrics } from './metrics.ts'
import type { createAuthenticateStage } from './stages/authenticate.ts'

export interface MetricsDiscardDeps {
  readonly authenticate: ReturnType<typeof createAuthenticateStage>
  readonly metrics: GatewayMetrics
  readonly maxBodyBytes: number
  readonly bodyTimeoutMs: number
}

export function createMetricsDiscard({ authenticate, metrics, maxBodyBytes, bodyTimeoutMs }: MetricsDiscardDeps) {
  return async function discardMetrics(exchange: Exchange): Promise<undefined> {
    await authenticate(exchange.request)
    exchange.encodings()
    exchange.context.isRead = true
    await exchange.discard({ maxBytes: maxBodyBytes, timeoutMs: bodyTimeoutMs })
    metrics.metricsDiscarded.inc()
  }
}
