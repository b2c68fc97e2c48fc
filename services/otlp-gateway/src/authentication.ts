import { type Authenticate, createAuthenticator } from '@svc-server/relational/authentication'
import type { KeyStore } from '@svc-server/relational/key-types'
import { createMetrics, type MetricRegistry } from '@svc-server/service/metrics'
import { gatewayMetrics } from './metrics.ts'

export function createKeyAuthenticator(keys: KeyStore, { metrics, clock }: { metrics: MetricRegistry; clock: () => number }): Authenticate {
  const { authentications } = createMetrics(gatewayMetrics, metrics)
  return createAuthenticator(keys, { clock, onEvent: outcome => authentications.inc({ outcome }) })
}
