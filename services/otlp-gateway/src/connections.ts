// The connections that the ports of OTLP hold together, within the descriptors that the process has.
import { AppError } from '@svc-server/errors'
import {
  type ConnectionLimits,
  connectionsWithin,
  createClientAddresses,
  createConnectionLimits,
  descriptorLimit,
} from '@svc-server/service/http'
import { createMetrics, type MetricRegistry } from '@svc-server/service/metrics'
import { gatewayMetrics } from './metrics.ts'
import type { GatewayConfig } from './settings.ts'

/** More would be held by nobody's exporters. */
const mostByDefault = 10_000

export interface GatewayConnectionsDeps {
  readonly metrics: MetricRegistry
  /** Descriptors of the process; default: what the system says. */
  readonly descriptors?: number | undefined
}

/** One for all servers of a process. Throws `config_invalid` for more connections than descriptors allow. */
export function createGatewayConnections(
  {
    maxConnections,
    maxConnectionsPerAddress,
    trustedProxies,
  }: Pick<GatewayConfig, 'maxConnections' | 'maxConnectionsPerAddress' | 'trustedProxies'>,
  deps: GatewayConnectionsDeps,
): ConnectionLimits {
  const possible = connectionsWithin(deps.descriptors ?? descriptorLimit())
  if (maxConnections !== undefined && maxConnections > possible) {
    throw new AppError(
      'config_invalid',
      `SVC_MAX_CONNECTIONS=${maxConnections}: this process may hold ${possible} beside its stores' files and sockets. Raise its limit of open files (ulimit -n), or lower it.`,
      { variable: 'SVC_MAX_CONNECTIONS' },
    )
  }
  const max = maxConnections ?? Math.min(mostByDefault, possible)
  const { connections, refusedConnections } = createMetrics(gatewayMetrics, deps.metrics)
  const limits = createConnectionLimits({
    maxConnections: max,
    perAddress: { max: maxConnectionsPerAddress ?? Math.ceil(max / 4), addresses: createClientAddresses(trustedProxies) },
    onRefused: limit => refusedConnections.inc({ limit }),
  })
  connections.onScrape(() => connections.set(limits.open))
  return limits
}
