// Exports of OTLP metrics: SDKs that are configured by the environment send them to the same base URL. They are acknowledged and thrown away,
// so that nobody's exporter retries for ever; counted, so that an operator sees it.
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
    exchange.trail.isRead = true
    await exchange.discard({ maxBytes: maxBodyBytes, timeoutMs: bodyTimeoutMs })
    metrics.metricsDiscarded.inc()
  }
}
