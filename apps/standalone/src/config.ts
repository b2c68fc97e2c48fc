// The standalone's variables: its own, and those of the services it carries.

import { writerVariables } from '@svc-server/events-writer'
import { gatewayProblems, gatewayVariables } from '@svc-server/otlp-gateway'
import { bytes, choice, durationMs, port, secret, text } from '@svc-server/service/configuration'
import { processVariables } from '@svc-server/service/lifecycle'
import { propagatorVariables } from '@svc-server/staging-propagator'
import {
  columnStoreVariables,
  firstProjectProblems,
  firstProjectVariables,
  kafkaProblems,
  kafkaVariables,
  relationalVariables,
  saltVariables,
} from '@svc-server/stores'
import { z } from 'zod'

const GiB = 1024 ** 3

/** Where the stores are and how they are opened; what a command needs, too. */
export const storeVariables = {
  SVC_DATA_DIR: text('a path').prefault('.svc').describe('Directory of everything that must survive a restart.'),
  SVC_LOG: choice(['embedded', 'kafka']).prefault('embedded').describe('Where the event log is: in SVC_DATA_DIR, or on SVC_KAFKA_BROKERS.'),
  SVC_TOPIC_MAX_BYTES: bytes({ min: 64 * 1024 * 1024 })
    .optional()
    .describe('Embedded log: bytes of each spans topic on disk at which new spans are refused. Not set: 20 GiB.'),
  ...kafkaVariables,
  ...columnStoreVariables,
  COLUMNSTORE_URL: columnStoreVariables.COLUMNSTORE_URL.optional().describe('A ClickHouse server. Not set: the embedded engine.'),
  COLUMNSTORE_PASSWORD: secret('a password').optional().describe('Its password. Not set: made at the first start.'),
  COLUMNSTORE_PORT: port().prefault('8123').describe('Port of the embedded engine.'),
  COLUMNSTORE_MEMORY_LIMIT: bytes({ min: 1 * GiB, max: 1024 * GiB })
    .prefault('3GiB')
    .describe('Memory that the embedded engine may use.'),
  COLUMNSTORE_SILENCE_MS: durationMs({ min: 2_000, max: 600_000 })
    .prefault('20s')
    .describe('Time without any answer after which the process of the embedded engine is replaced.'),
  DATABASE_URL: relationalVariables.DATABASE_URL.optional().describe('A PostgreSQL server. Not set: the embedded one.'),
  SALT: saltVariables.SALT.optional().describe(
    'Mixed into the hashes of keys. Not set: made at the first start. Changing it locks every key out.',
  ),
  ...processVariables,
}

export const standaloneVariables = {
  ...gatewayVariables,
  ...writerVariables,
  ...propagatorVariables,
  ...storeVariables,
  PORT: port().prefault('3000').describe('Port of the public API (all of /api/public).'),
  SVC_OTLP_PORT: port().prefault('4318').describe('Port of OTLP over HTTP.'),
  SVC_WORKER_PORT: port().prefault('3030').describe('Port of worker health, probes and metrics.'),
  ...firstProjectVariables,
  SVC_INIT_PROJECT_PUBLIC_KEY: text('a public key').optional().describe('Its public key. Not set: made at the first start.'),
  SVC_INIT_PROJECT_SECRET_KEY: secret('a secret key').optional().describe('Its secret key. Not set: made at the first start.'),
}

const storeProblems = (env: z.output<z.ZodObject<typeof storeVariables>>): readonly string[] =>
  env.SVC_LOG === 'kafka' ? kafkaProblems(env) : []

/** What the gateway takes the others must be able to open. A JSON body may grow when it is made protobuf, to less than twice its size. */
const sizeProblems = (env: z.output<z.ZodObject<typeof standaloneVariables>>): readonly string[] =>
  (['SVC_WRITER_MAX_RECORD_BYTES', 'SVC_PROPAGATION_MAX_RECORD_BYTES'] as const)
    .filter(name => env[name] < 2 * env.SVC_MAX_BODY_BYTES)
    .map(
      name =>
        `${name} is less than twice SVC_MAX_BODY_BYTES: what is answered 200 could become a dead letter. Raise it or lower the other.`,
    )

export const standaloneEnvironment = z.object(standaloneVariables).superRefine((env, context) => {
  for (const message of [...gatewayProblems(env), ...sizeProblems(env), ...storeProblems(env), ...firstProjectProblems(env)]) {
    context.addIssue({ code: 'custom', message })
  }
})

export type StandaloneEnvironment = z.output<typeof standaloneEnvironment>

export const storeEnvironment = z.object(storeVariables).superRefine((env, context) => {
  for (const message of storeProblems(env)) context.addIssue({ code: 'custom', message })
})

export type StoreEnvironment = z.output<typeof storeEnvironment>
