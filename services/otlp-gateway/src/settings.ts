import { defaultWorkers } from '@svc-server/fairness/worker-pool'
import { mapped, setting, type ValuesOf } from '@svc-server/service/configuration'
import { connectionSettings, type TlsConfig, tlsProblems } from '@svc-server/service/connections'
import { logAckTimeoutMs } from '@svc-server/stores/event-log-settings'
import { migrationProblems, migrationSettings } from '@svc-server/stores/migration'
import { rateLimitProblems, rateLimits } from '@svc-server/stores/rate-limits'
import { brandAliases, maxRowBytes, maxWork, spanMaxAgeMonths } from '@svc-server/stores/records'

const KiB = 1024
const MiB = 1024 * KiB
const GiB = 1024 * MiB

export const gatewayVariables = {
  ...migrationSettings,
  maxBodyBytes: setting.bytes({
    env: 'SVC_MAX_BODY_BYTES',
    default: '64MiB',
    min: 64 * KiB,
    max: GiB,
    says: 'Maximum size of a request body, both before and after decompression. The gateway responds to a larger body with 413.',
  }),
  maxRowBytes,
  maxWork,
  projectWorkPerSecond: setting.integer({
    env: 'SVC_PROJECT_WORK_PER_SECOND',
    // The default allows about 600 usual spans of 4 KiB per second. In the worst case, 250,000 units per second take a quarter of the
    // encoding thread's time.
    default: 250_000,
    min: 1,
    max: 1_000_000_000,
    says: 'Maximum units of work per second for one project’s direct spans. A project can use up the units of a whole second in a single burst. Spans beyond the maximum go to spans.overflow, which writers read in the background. Each gateway counts separately.',
  }),
  projectRequestsAtOnce: setting.integer({
    env: 'SVC_PROJECT_REQUESTS_AT_ONCE',
    // In the embedded profile, the gateway shares its processors with the log, the writers and the column store. With Kafka, the gateway
    // mostly waits for the brokers.
    default: { embedded: 2, remote: 256 },
    min: 1,
    max: 100_000,
    says: 'Maximum concurrent requests per project while other projects are active; further requests wait after their body is read. Every 256 KiB of a body count as one additional request. Each gateway counts separately.',
  }),
  maxTraces: setting.integer({
    env: 'SVC_MAX_TRACES_PER_REQUEST',
    default: 20_000,
    min: 1,
    max: 1_000_000,
    says: 'Maximum traces in one staged request. Each trace becomes a record. A request with more traces gets 413.',
  }),
  maxInflightBytes: setting.bytes({
    env: 'SVC_MAX_INFLIGHT_BYTES',
    default: '256MiB',
    min: 64 * KiB,
    max: 64 * GiB,
    says: 'Maximum decoded bytes of all requests in flight. A request beyond the maximum gets 503 with Retry-After. Must be at least twice SVC_MAX_BODY_BYTES.',
  }),
  maxInflightBytesPerProject: setting.bytes({
    env: 'SVC_MAX_INFLIGHT_BYTES_PER_PROJECT',
    optional: true,
    min: 64 * KiB,
    max: 32 * GiB,
    says: 'Maximum decoded bytes of one project’s requests in flight. If a request would exceed the maximum of its project, the request gets 429 with Retry-After. Default and highest allowed value: half of SVC_MAX_INFLIGHT_BYTES.',
  }),
  ...connectionSettings,
  logAckTimeoutMs,
  rateLimits,
  brandAliases,
  spanMaxAgeMonths,
  workers: mapped(
    setting.integer({
      env: 'SVC_GATEWAY_WORKERS',
      optional: true,
      min: 1,
      max: 64,
      says: 'Number of threads for bodies that are too large for the event loop. One project can use all of these threads except one. Default: the number of CPU cores minus one, at least 2 and at most 4.',
    }),
    (workers = defaultWorkers()) => workers,
  ),
}

export const otlpPort = setting.port({
  env: 'SVC_OTLP_PORT',
  default: 4318,
  says: 'Port of OTLP over HTTP: /v1/traces and /api/public/otel/v1/traces.',
})

export const grpcPort = setting.port({
  env: 'SVC_OTLP_GRPC_PORT',
  default: 4317,
  says: 'Port of OTLP over gRPC.',
})

export const gatewayProbePort = setting.port({
  env: 'SVC_GATEWAY_PROBE_PORT',
  default: 3020,
  says: 'Port of the gateway’s probes and metrics.',
})

type Loaded = ValuesOf<typeof gatewayVariables>

export interface GatewayConfig
  extends Omit<
    Loaded,
    'previewOptIn' | 'maxInflightBytesPerProject' | 'maxConnections' | 'maxConnectionsPerAddress' | 'basePath' | keyof TlsConfig
  > {
  readonly maxInflightBytesPerProject: number
  /** If undefined, the maximum is derived from the process's limit on file descriptors. */
  readonly maxConnections?: number | undefined
  readonly maxConnectionsPerAddress?: number | undefined
  readonly basePath?: string | undefined
}

export const gatewayConfig = (loaded: Loaded): GatewayConfig & TlsConfig => ({
  ...loaded,
  maxInflightBytesPerProject: loaded.maxInflightBytesPerProject ?? Math.floor(loaded.maxInflightBytes / 2),
})

export const gatewayProblems = (config: Loaded): readonly string[] => [
  ...migrationProblems(config),
  ...memoryProblems(config),
  ...tlsProblems(config),
  ...rateLimitProblems(config.rateLimits),
]

/** Checks the memory limits. One project can use at most half of the memory, so a request larger than this half could never be admitted. */
function memoryProblems({ maxBodyBytes: body, maxInflightBytes: total, maxInflightBytesPerProject: share }: Loaded): readonly string[] {
  const problems: string[] = []
  if (total < 2 * body) {
    problems.push(
      'SVC_MAX_INFLIGHT_BYTES is less than twice SVC_MAX_BODY_BYTES: one project can use at most half of it, and the largest request must fit ' +
        'into this half. Raise SVC_MAX_INFLIGHT_BYTES, or lower SVC_MAX_BODY_BYTES.',
    )
  }
  if (share !== undefined && share < body) {
    problems.push(
      'SVC_MAX_INFLIGHT_BYTES_PER_PROJECT is less than SVC_MAX_BODY_BYTES: the largest request could never be admitted. Raise SVC_MAX_INFLIGHT_BYTES_PER_PROJECT, or lower SVC_MAX_BODY_BYTES.',
    )
  }
  if (share !== undefined && share > total / 2) {
    problems.push(
      'SVC_MAX_INFLIGHT_BYTES_PER_PROJECT is more than half of SVC_MAX_INFLIGHT_BYTES: one project could starve the others. Lower SVC_MAX_INFLIGHT_BYTES_PER_PROJECT.',
    )
  }
  return problems
}
