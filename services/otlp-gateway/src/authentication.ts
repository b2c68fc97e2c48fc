// The authenticator as a gateway has it, wherever it is mounted: counted.
import { type Authenticate, createAuthenticator, type KeyStore } from '@svc-server/relational'
import { createMetrics, type MetricRegistry } from '@svc-server/service/metrics'
import { gatewayMetrics } from './metrics.ts'

export function createKeyAuthenticator(keys: KeyStore, { metrics, clock }: { metrics: MetricRegistry; clock: () => number }): Authenticate {
  const { authentications } = createMetrics(gatewayMetrics, metrics)
  return createAuthenticator(keys, { clock, onEvent: outcome => authentications.inc({ outcome }) })
}
