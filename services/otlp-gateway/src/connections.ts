// The connections of the gateway's ports, counted.
import { type ConnectionConfig, connectionsOf } from '@svc-server/service/connections'
import type { ConnectionLimits } from '@svc-server/service/http'
import { createMetrics, type MetricRegistry } from '@svc-server/service/metrics'
import { gatewayMetrics } from './metrics.ts'

/** One for all servers of a gateway. Throws `config_invalid` for more connections than descriptors allow. */
export function createGatewayConnections(config: ConnectionConfig, { metrics }: { readonly metrics: MetricRegistry }): ConnectionLimits {
  const { connections, refusedConnections } = createMetrics(gatewayMetrics, metrics)
  const limits = connectionsOf(config, { process: metrics, onRefused: limit => refusedConnections.inc({ limit }) })
  connections.onScrape(() => connections.set(limits.open))
  return limits
}
