// Limits the client connections of a process on all ports together, because these connections share the process's file descriptors.
import { AppError } from '@svc-server/errors'
import {
  type ConnectionLimits,
  connectionsWithin,
  createClientAddresses,
  createConnectionLimits,
  descriptorLimit,
} from '@svc-server/http/listeners'
import { mapped, setting } from '../configuration/setting.ts'
import { tlsSettings } from '../tls/index.ts'

/** The settings of every service with a client port. */
export const connectionSettings = {
  ...tlsSettings,
  bodyTimeoutMs: setting.durationMs({
    env: 'SVC_BODY_TIMEOUT_MS',
    default: '30s',
    min: 10,
    max: 600_000,
    says: 'Maximum time for a request body to arrive. A slower request gets 408. If a client needs longer than SVC_BODY_TIMEOUT_MS to read a response of the public API, the server closes the connection.',
  }),
  trustedProxies: mapped(
    setting.cidrs({
      env: 'SVC_TRUSTED_PROXIES',
      optional: true,
      says: 'Proxies whose X-Forwarded-For header is trusted. Limits per address do not apply to trusted proxies. Behind an ingress, set this variable to the addresses of the ingress; otherwise all clients count as one address.',
    }),
    (proxies = []) => proxies,
  ),
  basePath: setting.text({
    env: 'SVC_BASE_PATH',
    optional: true,
    // Routes begin with `/api` and `/v1`. If the base path did too, the server could mistake the start of a route for the base path.
    pattern: /^(?!\/(?:api|v1)(?:\/|$))(?:\/[A-Za-z0-9._~-]+)+$/,
    valid: 'a path such as /svc that begins with neither /api nor /v1',
    says: 'Path prefix that clients put before /api/public and /v1, if no ingress removes it. The server also serves requests without the prefix.',
  }),
  maxConnections: setting.integer({
    env: 'SVC_MAX_CONNECTIONS',
    optional: true,
    min: 16,
    max: 1_000_000,
    says: 'Maximum client connections of a process. Further connections get 503. Default: the number of file descriptors that the process does not need for its stores, but at most 10,000.',
  }),
  maxConnectionsPerAddress: setting.integer({
    env: 'SVC_MAX_CONNECTIONS_PER_ADDRESS',
    optional: true,
    min: 4,
    max: 1_000_000,
    says: 'Maximum client connections of one address (IPv6: one /64). Further connections get 429. The addresses in SVC_TRUSTED_PROXIES are exempt. Default: a quarter of SVC_MAX_CONNECTIONS.',
  }),
}

export interface ConnectionConfig {
  readonly trustedProxies: readonly string[]
  /** If undefined, only the file descriptors limit the number of connections. */
  readonly maxConnections?: number | undefined
  readonly maxConnectionsPerAddress?: number | undefined
}

/** No installation needs more connections. */
const mostByDefault = 10_000

/**
 * Throws `config_invalid` if the process has too few file descriptors. `descriptors` is the process's limit on file descriptors. By
 * default, `descriptors` is the limit that the system sets.
 */
export function createProcessConnections(
  { maxConnections, maxConnectionsPerAddress, trustedProxies }: ConnectionConfig,
  descriptors: number | undefined = descriptorLimit(),
): ConnectionLimits {
  const possible = connectionsWithin(descriptors)
  if (maxConnections !== undefined && maxConnections > possible) {
    throw new AppError(
      'config_invalid',
      `SVC_MAX_CONNECTIONS=${maxConnections}: this process can have only ${possible} connections besides the files and sockets of its stores. Raise the process's limit of open files (ulimit -n), or set a lower value.`,
      { variable: 'SVC_MAX_CONNECTIONS' },
    )
  }
  const max = maxConnections ?? Math.min(mostByDefault, possible)
  return createConnectionLimits({
    maxConnections: max,
    perAddress: { max: maxConnectionsPerAddress ?? Math.ceil(max / 4), addresses: createClientAddresses(trustedProxies) },
  })
}

const shared = new WeakMap<object, ConnectionLimits>()

export interface CountedConnections {
  /** The metric registry of the process. Services with the same registry share the limits. */
  readonly process: object
  readonly onRefused: (limit: 'all' | 'address') => void
}

/** Services of a process share the limits. Each service counts its own open and refused connections. */
export function connectionsOf(config: ConnectionConfig, { process, onRefused }: CountedConnections): ConnectionLimits {
  const limits = shared.get(process) ?? createProcessConnections(config)
  shared.set(process, limits)
  let open = 0
  return {
    get open() {
      return open
    },
    admit(socket) {
      const admitted = limits.admit(socket)
      if (admitted !== 'admitted') onRefused(admitted)
      else {
        open++
        socket.once('close', () => open--)
      }
      return admitted
    },
  }
}
