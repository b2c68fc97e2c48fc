// The cluster's variables: its ports, its directory, and the stores that are there already. Those of the services are passed on to them.

import { writerProcessEnvironment } from '@svc-server/events-writer'
import { gatewayProcessEnvironment } from '@svc-server/otlp-gateway'
import { bytes, choice, durationMs, type Environment, integer, list, port, secret, text, url } from '@svc-server/service/configuration'
import { processVariables } from '@svc-server/service/lifecycle'
import { logLevels } from '@svc-server/service/logs'
import { propagatorProcessEnvironment } from '@svc-server/staging-propagator'
import { z } from 'zod'

const GiB = 1024 ** 3
const many = () => integer({ min: 1, max: 16 })

export const clusterEnvironment = z
  .object({
    SVC_CLUSTER_DIR: text('a path').prefault('.svc-cluster').describe('Directory of everything that must survive a restart.'),
    SVC_CLUSTER_GATEWAYS: many().prefault('2').describe('Gateways.'),
    SVC_CLUSTER_WRITERS: many().prefault('2').describe('Writers.'),
    SVC_CLUSTER_PROPAGATORS: many().prefault('2').describe('Staging propagators.'),
    SVC_OTLP_PORT: port().prefault('4318').describe('Port of the first gateway; the others have the next ones.'),
    SVC_GATEWAY_PROBE_PORT: port()
      .prefault('3020')
      .describe('Port of the first gateway’s probes and metrics; the others have the next ones.'),
    SVC_WORKER_PORT: port().prefault('3030').describe('Port of the first writer’s health and metrics; the others have the next ones.'),
    SVC_PROPAGATOR_PORT: port()
      .prefault('3040')
      .describe('Port of the first propagator’s health and metrics; the others have the next ones.'),
    SVC_KAFKA_BROKERS: list('host:port of some brokers, comma-separated')
      .optional()
      .describe('Kafka that is there. Not set: a broker is started.'),
    SVC_CLUSTER_KAFKA_PORT: port().prefault('9092').describe('Port of the broker that is started; it takes the next two for itself.'),
    DATABASE_URL: url(['postgres', 'postgresql']).optional().describe('A PostgreSQL server that is there. Not set: one is started.'),
    SVC_CLUSTER_POSTGRES_PORT: port().prefault('5433').describe('Port of the PostgreSQL that is started.'),
    COLUMNSTORE_URL: url().optional().describe('A ClickHouse server that is there. Not set: the embedded engine, in a process of its own.'),
    COLUMNSTORE_USER: text('a user').prefault('svc').describe('User of the column store.'),
    COLUMNSTORE_PASSWORD: secret('a password').optional().describe('Its password. Not set: made at the first start.'),
    COLUMNSTORE_DB: text('letters, digits and _', /^[A-Za-z_][A-Za-z0-9_]{0,63}$/)
      .prefault('svc')
      .describe('Its database.'),
    COLUMNSTORE_PORT: port().prefault('8123').describe('Port of the embedded engine.'),
    COLUMNSTORE_MEMORY_LIMIT: bytes({ min: 1 * GiB, max: 1024 * GiB })
      .prefault('3GiB')
      .describe('Memory that the embedded engine may use.'),
    COLUMNSTORE_SILENCE_MS: durationMs({ min: 2_000, max: 600_000 })
      .prefault('20s')
      .describe('Time without any answer after which the process of the embedded engine is replaced.'),
    ...processVariables,
    SVC_LOG_LEVEL: choice(logLevels).prefault('warn').describe('Lowest level that is logged, by the services too.'),
    SVC_DRAIN_GRACE_MS: durationMs({ min: 1000, max: 600_000 })
      .prefault('60s')
      .describe('Time from the stop signal until the process ends, drained or not.'),
  })
  .superRefine((env, context) => {
    if (env.COLUMNSTORE_URL !== undefined && env.COLUMNSTORE_PASSWORD === undefined) {
      context.addIssue({ code: 'custom', message: 'COLUMNSTORE_PASSWORD is not set: the server of COLUMNSTORE_URL has one.' })
    }
  })

export type ClusterEnvironment = z.output<typeof clusterEnvironment>

const serviceVariables = [
  ...new Set(
    [gatewayProcessEnvironment, writerProcessEnvironment, propagatorProcessEnvironment].flatMap(({ shape }) => Object.keys(shape)),
  ),
]

/** Variables that are not the cluster's own but its services'. */
export const passedOnVariables: readonly string[] = serviceVariables.filter(name => !(name in clusterEnvironment.shape))

/** Those of them that are set, as they are: each service checks its own. */
export const passedOn = (env: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(passedOnVariables.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]])))
