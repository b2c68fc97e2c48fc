// Lists the services of a cluster in the order in which they start, with the number of processes of each kind.
import { backfillRunner } from '@svc-server/backfill-runner/service'
import { eventsWriter } from '@svc-server/events-writer/service'
import { merger } from '@svc-server/merger/service'
import { otlpGateway } from '@svc-server/otlp-gateway/service'
import { publicApi } from '@svc-server/public-api/service'
import type { ServiceDefinition } from '@svc-server/service'
import { type Setting, setting } from '@svc-server/service/configuration'
import { stagingPropagator } from '@svc-server/staging-propagator/service'

export interface Kind {
  readonly name: string
  readonly definition: ServiceDefinition
  readonly script: string
  readonly count: Setting<number>
  /**
   * Ports of each process of this kind. `first` is the port of the first process. Each further process has the next higher port,
   * or the next lower port with `step: -1`. A process reads the port from `variable`. The last port in the list is for probes.
   */
  readonly ports: readonly { readonly first: Setting<number>; readonly variable: string; readonly step?: -1 }[]
  /**
   * If set, each process of this kind gets the environment variable `variable`. If the cluster's environment does not set the variable, its
   * value is the addresses of all processes of the kind with the name `kind`. These processes start earlier.
   */
  readonly told?: { readonly variable: string; readonly kind: string }
}

const many = (env: string, says: string) => setting.integer({ env, default: 2, min: 1, max: 16, says })

export const kinds: readonly Kind[] = [
  {
    name: 'writer',
    definition: eventsWriter,
    script: import.meta.resolve('@svc-server/events-writer/main'),
    count: many('SVC_CLUSTER_WRITERS', 'Number of writers.'),
    ports: [
      {
        variable: 'SVC_WORKER_PORT',
        first: setting.port({
          env: 'SVC_WORKER_PORT',
          default: 3030,
          says: 'Port of the first writer’s health and metrics. The other writers use the next higher ports.',
        }),
      },
    ],
  },
  {
    name: 'propagator',
    definition: stagingPropagator,
    script: import.meta.resolve('@svc-server/staging-propagator/main'),
    count: many('SVC_CLUSTER_PROPAGATORS', 'Number of staging propagators.'),
    ports: [
      {
        variable: 'SVC_WORKER_PORT',
        first: setting.port({
          env: 'SVC_PROPAGATOR_PORT',
          default: 3040,
          says: 'Port of the first propagator’s health and metrics. The other propagators use the next higher ports.',
        }),
      },
    ],
  },
  {
    name: 'merger',
    definition: merger,
    script: import.meta.resolve('@svc-server/merger/main'),
    count: setting.integer({
      env: 'SVC_CLUSTER_MERGERS',
      default: 1,
      min: 1,
      max: 16,
      says: 'Number of mergers. A cluster that began in events_only runs no mergers.',
    }),
    ports: [
      {
        variable: 'SVC_WORKER_PORT',
        first: setting.port({
          env: 'SVC_MERGER_PORT',
          default: 3060,
          says: 'Port of the first merger’s health and metrics. The other mergers use the next higher ports.',
        }),
      },
    ],
  },
  {
    name: 'gateway',
    definition: otlpGateway,
    script: import.meta.resolve('@svc-server/otlp-gateway/main'),
    count: many('SVC_CLUSTER_GATEWAYS', 'Number of gateways.'),
    ports: [
      {
        variable: 'SVC_OTLP_PORT',
        first: setting.port({
          env: 'SVC_OTLP_PORT',
          default: 4318,
          says: 'Port of the first gateway. The other gateways use the next higher ports.',
        }),
      },
      {
        variable: 'SVC_OTLP_GRPC_PORT',
        // Each further gateway uses the next lower port for gRPC, because the next higher ports are used for OTLP over HTTP.
        step: -1,
        first: setting.port({
          env: 'SVC_OTLP_GRPC_PORT',
          default: 4317,
          says: 'Port of the first gateway for OTLP over gRPC. The other gateways use the next lower ports.',
        }),
      },
      {
        variable: 'SVC_GATEWAY_PROBE_PORT',
        first: setting.port({
          env: 'SVC_GATEWAY_PROBE_PORT',
          default: 3020,
          says: 'Port of the first gateway’s probes and metrics. The other gateways use the next higher ports.',
        }),
      },
    ],
  },
  {
    name: 'api',
    definition: publicApi,
    script: import.meta.resolve('@svc-server/public-api/main'),
    count: setting.integer({ env: 'SVC_CLUSTER_APIS', default: 1, min: 1, max: 16, says: 'Number of processes of the public API.' }),
    told: { variable: 'SVC_OTLP_URL', kind: 'gateway' },
    ports: [
      {
        variable: 'PORT',
        first: setting.port({
          env: 'PORT',
          default: 3000,
          says: 'Port of the first public API. The other public APIs use the next higher ports.',
        }),
      },
      {
        variable: 'SVC_API_PROBE_PORT',
        first: setting.port({
          env: 'SVC_API_PROBE_PORT',
          default: 3010,
          says: 'Port of the first public API’s probes and metrics. The other public APIs use the next higher ports.',
        }),
      },
    ],
  },
  {
    name: 'backfill',
    definition: backfillRunner,
    script: import.meta.resolve('@svc-server/backfill-runner/main'),
    count: setting.integer({
      env: 'SVC_CLUSTER_BACKFILL_RUNNERS',
      default: 1,
      min: 1,
      max: 16,
      says: 'Number of backfill runners. One backfill runner works, and the others stand by.',
    }),
    ports: [
      {
        variable: 'SVC_BACKFILL_PROBE_PORT',
        first: setting.port({
          env: 'SVC_BACKFILL_PROBE_PORT',
          default: 3050,
          says: 'Port of the first backfill runner’s probes and metrics. The other backfill runners use the next higher ports.',
        }),
      },
    ],
  },
]
