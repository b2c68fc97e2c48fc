// Exports of OTLP metrics: SDKs that are configured by the environment send them to the same base URL. They are acknowledged and thrown away,
// so that nobody's exporter retries for ever; counted, so that an operator sees it.

import { type Answer, discardBody } from '@svc-server/service/bodies'
import { successAnswer } from './http/answers.ts'
import { encodingsOf } from './http/encodings.ts'
import type { GatewayMetrics } from './metrics.ts'
import type { createAuthenticateStage } from './stages/authenticate.ts'
import type { Exchange } from './trail.ts'

export interface MetricsDiscardDeps {
  readonly authenticate: ReturnType<typeof createAuthenticateStage>
  readonly metrics: GatewayMetrics
  readonly maxBodyBytes: number
  readonly bodyTimeoutMs: number
}

export function createMetricsDiscard({ authenticate, metrics, maxBodyBytes, bodyTimeoutMs }: MetricsDiscardDeps) {
  return async function discardMetrics({ req, res, trail, awaitsContinue }: Exchange): Promise<Answer> {
    await authenticate(req)
    const { format } = encodingsOf(req.headers, trail)
    if (awaitsContinue) res.writeContinue()
    await discardBody(req, { maxBytes: maxBodyBytes, timeoutMs: bodyTimeoutMs })
    metrics.metricsDiscarded.inc()
    return successAnswer(format)
  }
}
