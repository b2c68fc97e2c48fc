// Settings of the gateway: names in the code, variables, defaults, ranges.

import { defaultWorkers } from '@svc-server/fairness/worker-pool'
import { mapped, setting, type ValuesOf } from '@svc-server/service/configuration'
import { connectionSettings, type TlsConfig, tlsProblems } from '@svc-server/service/connections'
import { logAckTimeoutMs } from '@svc-server/stores/event-log-settings'
import { migrationProblems, migrationSettings } from '@svc-server/stores/migration'
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
    says: 'Largest request body, before and after decompression; above it 413.',
  }),
  maxRowBytes,
  maxWork,
  projectWorkPerSecond: setting.integer({
    env: 'SVC_PROJECT_WORK_PER_SECOND',
    // About 600 usual spans of 4 KiB, or a quarter of the encoding thread at worst.
    default: 250_000,
    min: 1,
    max: 1_000_000_000,
    says: 'Units of work per second of a project’s direct spans, and the same number in one burst. Beyond it they go to spans.overflow, which writers read in the background. Each gateway counts for itself.',
  }),
  projectRequestsAtOnce: setting.integer({
    env: 'SVC_PROJECT_REQUESTS_AT_ONCE',
    // The embedded gateway shares its processors with log, writers and column store. With Kafka, the gateway mostly waits for the brokers.
    default: { embedded: 2, remote: 256 },
    min: 1,
    max: 100_000,
    says: 'Maximum concurrent requests per project while other projects are active; further requests queue after their body is read. A body counts as one more request for every 256 KiB. Each gateway counts for itself.',
  }),
  maxTraces: setting.integer({
    env: 'SVC_MAX_TRACES_PER_REQUEST',
    default: 20_000,
    min: 1,
    max: 1_000_000,
    says: 'Maximum traces per staged request, each of which becomes a record; above it 413.',
  }),
  maxInflightBytes: setting.bytes({
    env: 'SVC_MAX_INFLIGHT_BYTES',
    default: '256MiB',
    min: 64 * KiB,
    max: 64 * GiB,
    says: 'Maximum decoded bytes of all requests in flight; above it 503 with Retry-After. Must be at least twice SVC_MAX_BODY_BYTES.',
  }),
  maxInflightBytesPerProject: setting.bytes({
    env: 'SVC_MAX_INFLIGHT_BYTES_PER_PROJECT',
    optional: true,
    min: 64 * KiB,
    max: 32 * GiB,
    says: 'Maximum decoded bytes of one project’s requests in flight; above it 429 with Retry-After. Not set: half of the total, which is also the maximum.',
  }),
  ...connectionSettings,
  logAckTimeoutMs,
  brandAliases,
  spanMaxAgeMonths,
  workers: mapped(
    setting.integer({
      env: 'SVC_GATEWAY_WORKERS',
      optional: true,
      min: 1,
      max: 64,
      says: 'Threads for bodies that are too large for the event loop. One project may use all but one. Not set: one less than the cores, 2 to 4.',
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
  /** Undefined: the limit follows from the process's limit on descriptors. */
  readonly maxConnections?: number | undefined
  readonly maxConnectionsPerAddress?: number | undefined
  readonly basePath?: string | undefined
}

/** Computes the settings that follow from others. */
export const gatewayConfig = (loaded: Loaded): GatewayConfig & TlsConfig => ({
  ...loaded,
  maxInflightBytesPerProject: loaded.maxInflightBytesPerProject ?? Math.floor(loaded.maxInflightBytes / 2),
})

/** Settings that are valid alone but not together, each with a sentence that describes valid combinations. */
export const gatewayProblems = (config: Loaded): readonly string[] => [
  ...migrationProblems(config),
  ...memoryProblems(config),
  ...tlsProblems(config),
]

/** A project gets at most half of the memory. The largest request must fit into that half, or the gateway could never admit it. */
function memoryProblems({ maxBodyBytes: body, maxInflightBytes: total, maxInflightBytesPerProject: share }: Loaded): readonly string[] {
  const problems: string[] = []
  if (total < 2 * body) {
    problems.push(
      'SVC_MAX_INFLIGHT_BYTES is less than twice SVC_MAX_BODY_BYTES: no project may hold more than half of it, and the largest request must fit ' +
        'there. Raise it or lower the other.',
    )
  }
  if (share !== undefined && share < body) {
    problems.push(
      'SVC_MAX_INFLIGHT_BYTES_PER_PROJECT is less than SVC_MAX_BODY_BYTES: the largest request could never be admitted. Raise it or lower the other.',
    )
  }
  if (share !== undefined && share > total / 2) {
    problems.push(
      'SVC_MAX_INFLIGHT_BYTES_PER_PROJECT is more than half of SVC_MAX_INFLIGHT_BYTES: one project could starve the others. Lower it.',
    )
  }
  return problems
}
