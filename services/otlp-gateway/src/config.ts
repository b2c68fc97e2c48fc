// The gateway's variables: defaults, units, ranges. Whoever runs it (its own process, the standalone) loads this shape.

import { type OtelBehaviour, otelBehaviours, validateMigrationVariables, type WriteMode, writeModes } from '@svc-server/modes'
import { brandAliasesOf, brandAliasesValid, brandAliasPattern } from '@svc-server/schema'
import { bytes, choice, cidrs, durationMs, flag, integer, port, text } from '@svc-server/service/configuration'
import { processVariables } from '@svc-server/service/lifecycle'
import {
  firstProjectProblems,
  firstProjectVariables,
  kafkaProblems,
  kafkaVariables,
  relationalVariables,
  saltVariables,
} from '@svc-server/stores'
import { defaultWorkers } from '@svc-server/stream'
import { z } from 'zod'

const KiB = 1024
const MiB = 1024 * KiB
const GiB = 1024 * MiB

/** The variables by name, for schemas of processes that mount the gateway beside other services. */
export const gatewayVariables = {
  SVC_MIGRATION_V4_WRITE_MODE: choice(writeModes).prefault('events_only').describe('Which tables are written.'),
  SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: choice(otelBehaviours)
    .prefault('direct')
    .describe('Whether spans of requests without a version header take the staging path (dual_write) or the direct one.'),
  SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN: flag().prefault('true').describe('Gates the v4 read paths; must be true with events_only.'),
  SVC_MAX_BODY_BYTES: bytes({ min: 64 * KiB, max: GiB })
    .prefault('64MiB')
    .describe('Largest request body, before and after decompression; above it 413.'),
  SVC_MAX_ROW_BYTES: bytes({ min: MiB, max: 4096 * MiB })
    .prefault('256MiB')
    .describe(
      'Bytes of rows that a request may become (span, resource, scope; 2 KiB at least): above it 413, on the log dead letters. The same everywhere.',
    ),
  SVC_MAX_REQUEST_WORK: integer({ min: 100_000, max: 1_000_000_000 })
    .prefault('3000000')
    .describe(
      'Units of work (about a microsecond each at worst) that mapping a request may take: attributes, values in lists and in JSON texts. Above it 413, on the log dead letters. The same everywhere.',
    ),
  SVC_MAX_TRACES_PER_REQUEST: integer({ min: 1, max: 1_000_000 })
    .prefault('20000')
    .describe('Traces of a request whose spans are sorted by trace (the staging path): a record each; above it 413.'),
  SVC_MAX_INFLIGHT_BYTES: bytes({ min: 64 * KiB, max: 64 * GiB })
    .prefault('256MiB')
    .describe('Decoded bytes of all requests in flight; above it 503 with Retry-After. At least twice SVC_MAX_BODY_BYTES.'),
  SVC_MAX_INFLIGHT_BYTES_PER_PROJECT: bytes({ min: 64 * KiB, max: 32 * GiB })
    .optional()
    .describe('The same for the requests of one project; above it 429 with Retry-After. Not set: half of it all, which is the most.'),
  SVC_BODY_TIMEOUT_MS: durationMs({ min: 10, max: 600_000 }).prefault('30s').describe('Time for a request body to arrive; above it 408.'),
  SVC_TRUSTED_PROXIES: cidrs()
    .optional()
    .describe(
      'Proxies whose X-Forwarded-For is believed; they are exempt from limits per address. Set it behind an ingress: else all clients are one address.',
    ),
  SVC_MAX_CONNECTIONS: integer({ min: 16, max: 1_000_000 })
    .optional()
    .describe('Connections on the ports of OTLP; above it 503. Not set: what descriptors allow beside the stores, at most 10,000.'),
  SVC_MAX_CONNECTIONS_PER_ADDRESS: integer({ min: 4, max: 1_000_000 })
    .optional()
    .describe('The same of one address (IPv6: one /64); above it 429. SVC_TRUSTED_PROXIES are exempt. Not set: a quarter of all.'),
  SVC_LOG_ACK_TIMEOUT_MS: durationMs({ min: 10, max: 60_000 })
    .prefault('4000')
    .describe('Time for the event log to acknowledge; above it 503 with Retry-After.'),
  SVC_BRAND_ALIASES: text(brandAliasesValid, brandAliasPattern)
    .optional()
    .describe('Brands whose headers, attributes, scope and SDK names are read as if they were written with svc. Not set: none.'),
  SVC_SPAN_MAX_AGE_MONTHS: integer({ min: 1, max: 96 })
    .prefault('36')
    .describe('Spans that started longer ago are rejected by partial success.'),
  SVC_GATEWAY_WORKERS: integer({ min: 1, max: 64 })
    .optional()
    .describe(
      'Threads for bodies that are too large for the event loop; one project holds all but one. Not set: one less than the cores, 2 to 4.',
    ),
}

/** The gateway's variables as one schema; refuses combinations that make no sense, with the sentence that says which are valid. */
export const gatewayEnvironment = z.object(gatewayVariables).superRefine((env, context) => {
  for (const message of gatewayProblems(env)) context.addIssue({ code: 'custom', message })
})

export type GatewayEnvironment = z.output<z.ZodObject<typeof gatewayVariables>>

/** What is wrong with variables that are each valid; for schemas that contain these variables among others. */
export function gatewayProblems(env: GatewayEnvironment): readonly string[] {
  const migration = validateMigrationVariables({
    writeMode: env.SVC_MIGRATION_V4_WRITE_MODE,
    otelBehaviour: env.SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR,
    previewOptIn: env.SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN,
  })
  return [...(migration.ok ? [] : [migration.message]), ...memoryProblems(env)]
}

/** Half of the memory is a project's at most: that half must hold the largest request, or it could never be admitted. */
function memoryProblems(env: GatewayEnvironment): readonly string[] {
  const { SVC_MAX_BODY_BYTES: body, SVC_MAX_INFLIGHT_BYTES: total, SVC_MAX_INFLIGHT_BYTES_PER_PROJECT: share } = env
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

/** A gateway in a process of its own: others share its stores, so they are servers. */
export const gatewayProcessEnvironment = z
  .object({
    ...gatewayVariables,
    SVC_OTLP_PORT: port().prefault('4318').describe('Port of OTLP over HTTP: /v1/traces and /api/public/otel/v1/traces.'),
    SVC_GATEWAY_PROBE_PORT: port().prefault('3020').describe('Port of the gateway’s probes and metrics.'),
    SVC_LOG: choice(['kafka']).prefault('kafka').describe('Separate processes meet on Kafka.'),
    ...kafkaVariables,
    ...relationalVariables,
    ...saltVariables,
    ...firstProjectVariables,
    ...processVariables,
  })
  .superRefine((env, context) => {
    for (const message of [...gatewayProblems(env), ...kafkaProblems(env), ...firstProjectProblems(env)]) {
      context.addIssue({ code: 'custom', message })
    }
  })

export type GatewayProcessEnvironment = z.output<typeof gatewayProcessEnvironment>

export interface GatewayConfig {
  readonly writeMode: WriteMode
  readonly otelBehaviour: OtelBehaviour
  readonly maxBodyBytes: number
  readonly maxRowBytes: number
  readonly maxWork: number
  readonly maxTraces: number
  readonly maxInflightBytes: number
  readonly maxInflightBytesPerProject: number
  readonly bodyTimeoutMs: number
  readonly logAckTimeoutMs: number
  readonly spanMaxAgeMonths: number
  readonly workers: number
  /** In CIDR notation. */
  readonly trustedProxies: readonly string[]
  /** Undefined: as many as descriptors allow. */
  readonly maxConnections?: number | undefined
  readonly maxConnectionsPerAddress?: number | undefined
  readonly brandAliases: readonly string[]
}

export const gatewayConfig = (env: GatewayEnvironment): GatewayConfig => ({
  writeMode: env.SVC_MIGRATION_V4_WRITE_MODE,
  otelBehaviour: env.SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR,
  maxBodyBytes: env.SVC_MAX_BODY_BYTES,
  maxRowBytes: env.SVC_MAX_ROW_BYTES,
  maxWork: env.SVC_MAX_REQUEST_WORK,
  maxTraces: env.SVC_MAX_TRACES_PER_REQUEST,
  maxInflightBytes: env.SVC_MAX_INFLIGHT_BYTES,
  maxInflightBytesPerProject: env.SVC_MAX_INFLIGHT_BYTES_PER_PROJECT ?? Math.floor(env.SVC_MAX_INFLIGHT_BYTES / 2),
  bodyTimeoutMs: env.SVC_BODY_TIMEOUT_MS,
  logAckTimeoutMs: env.SVC_LOG_ACK_TIMEOUT_MS,
  spanMaxAgeMonths: env.SVC_SPAN_MAX_AGE_MONTHS,
  workers: env.SVC_GATEWAY_WORKERS ?? defaultWorkers(),
  trustedProxies: env.SVC_TRUSTED_PROXIES ?? [],
  maxConnections: env.SVC_MAX_CONNECTIONS,
  maxConnectionsPerAddress: env.SVC_MAX_CONNECTIONS_PER_ADDRESS,
  brandAliases: brandAliasesOf(env.SVC_BRAND_ALIASES),
})
