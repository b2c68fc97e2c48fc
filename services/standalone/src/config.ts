// The standalone's variables: its own, and those of the services it carries.

import { writerVariables } from '@svc-server/events-writer'
import { gatewayProblems, gatewayVariables } from '@svc-server/otlp-gateway'
import { bytes, choice, durationMs, logLevels, port, secret, text, url } from '@svc-server/telemetry'
import { z } from 'zod'

const GiB = 1024 ** 3
const id = () => text('letters, digits, - and _', /^[A-Za-z0-9_-]{1,64}$/)

/** Where the stores are and how they are opened; what a command needs, too. */
export const storeVariables = {
  SVC_DATA_DIR: text('a path').prefault('.svc').describe('Directory of everything that must survive a restart.'),
  SVC_BIND: text('an address').prefault('127.0.0.1').describe('Address that every port of this process binds to.'),
  SVC_LOG: choice(['embedded']).prefault('embedded').describe('The standalone runs on the embedded event log.'),
  SVC_TOPIC_MAX_BYTES: bytes({ min: 64 * 1024 * 1024 })
    .optional()
    .describe('Bytes of each spans topic on disk at which new spans are refused. Not set: 20 GiB.'),
  COLUMNSTORE_URL: url().optional().describe('A ClickHouse server. Not set: the embedded engine.'),
  COLUMNSTORE_USER: text('a user').prefault('svc').describe('User of the column store.'),
  COLUMNSTORE_PASSWORD: secret('a password').optional().describe('Its password. Not set: made at the first start.'),
  COLUMNSTORE_DB: text('letters, digits and _', /^[A-Za-z_][A-Za-z0-9_]{0,63}$/)
    .prefault('svc')
    .describe('Its database.'),
  COLUMNSTORE_PORT: port().prefault('8123').describe('Port of the embedded engine.'),
  COLUMNSTORE_MEMORY_LIMIT: bytes({ min: 1 * GiB, max: 1024 * GiB })
    .prefault('3GiB')
    .describe('Memory that the embedded engine may use.'),
  DATABASE_URL: url(['postgres', 'postgresql']).optional().describe('A PostgreSQL server. Not set: the embedded one.'),
  SALT: secret('at least 16 characters', /^.{16,}$/)
    .optional()
    .describe('Mixed into the hashes of keys. Not set: made at the first start. Changing it locks every key out.'),
  SVC_LOG_LEVEL: choice(logLevels).prefault('info').describe('Lowest level that is logged.'),
  SVC_LOG_FORMAT: choice(['auto', 'json', 'pretty']).prefault('auto').describe('auto: pretty on a terminal, JSON elsewhere.'),
}

export const standaloneVariables = {
  ...gatewayVariables,
  ...writerVariables,
  ...storeVariables,
  PORT: port().prefault('3000').describe('Port of the public API (all of /api/public).'),
  SVC_OTLP_PORT: port().prefault('4318').describe('Port of OTLP over HTTP.'),
  SVC_WORKER_PORT: port().prefault('3030').describe('Port of worker health, probes and metrics.'),
  SVC_INIT_ORG_ID: id().prefault('default-org').describe('Organisation of the first project.'),
  SVC_INIT_PROJECT_ID: id().prefault('default-project').describe('First project, made when it is missing.'),
  SVC_INIT_PROJECT_PUBLIC_KEY: text('a public key').optional().describe('Its public key. Not set: made at the first start.'),
  SVC_INIT_PROJECT_SECRET_KEY: secret('a secret key').optional().describe('Its secret key. Not set: made at the first start.'),
  SVC_DRAIN_GRACE_MS: durationMs({ min: 1000, max: 600_000 })
    .prefault('30s')
    .describe('Time from the stop signal until the process ends, drained or not.'),
}

export const standaloneEnvironment = z.object(standaloneVariables).superRefine((env, context) => {
  for (const message of gatewayProblems(env)) context.addIssue({ code: 'custom', message })
  if ((env.SVC_INIT_PROJECT_PUBLIC_KEY === undefined) !== (env.SVC_INIT_PROJECT_SECRET_KEY === undefined)) {
    context.addIssue({ code: 'custom', message: 'Set SVC_INIT_PROJECT_PUBLIC_KEY and SVC_INIT_PROJECT_SECRET_KEY together, or neither.' })
  }
})

export type StandaloneEnvironment = z.output<typeof standaloneEnvironment>
export const storeEnvironment = z.object(storeVariables)
export type StoreEnvironment = z.output<typeof storeEnvironment>
