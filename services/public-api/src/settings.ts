// Settings of the public API.

import { maxBatchBytes } from '@svc-server/api/fields/limits'
import { defaultWorkers } from '@svc-server/fairness/worker-pool'
import { mapped, setting, type ValuesOf } from '@svc-server/service/configuration'
import { connectionSettings, tlsProblems } from '@svc-server/service/connections'
import { logAckTimeoutMs } from '@svc-server/stores/event-log-settings'
import { migrationProblems, migrationSettings } from '@svc-server/stores/migration'
import { rateLimitProblems, rateLimits } from '@svc-server/stores/rate-limits'
import { brandAliases, spanMaxAgeMonths } from '@svc-server/stores/records'
import { windowTimes } from '@svc-server/stores/windows'

import { oidcProblems, oidcSettings } from './oidc/settings.ts'

const MiB = 1024 * 1024
const GiB = 1024 * MiB

export const apiVariables = {
  ...migrationSettings,
  ...connectionSettings,
  maxInflightBytes: setting.bytes({
    env: 'SVC_API_MAX_INFLIGHT_BYTES',
    default: '64MiB',
    min: 16 * MiB,
    max: 64 * GiB,
    says: 'Maximum bytes of all request bodies in flight. A request beyond the maximum gets 503 with Retry-After. One project can use half of the maximum; its further requests get 429.',
  }),
  logAckTimeoutMs,
  brandAliases,
  spanMaxAgeMonths,
  ...windowTimes,
  otlpUrls: mapped(
    setting.list({
      env: 'SVC_OTLP_URL',
      optional: true,
      valid: 'http:// or https:// addresses of gateways, comma-separated',
      says: 'URLs of gateways. The public API forwards requests for /api/public/otel that arrive on PORT to these gateways. If not set, the public API responds to these OTLP requests with 404. A gateway in the same process, or an ingress, can handle such requests instead. Certificates of https:// addresses are checked against the certificate authorities of Node; NODE_EXTRA_CA_CERTS adds a private authority.',
    }),
    (urls = []) => urls,
  ),
  canaryUrl: setting.url({
    env: 'SVC_CANARY_URL',
    protocols: ['http', 'https'],
    optional: true,
    says: 'Address at which clients reach this installation. This address must serve all of /api/public, including the routes for spans. A canary is a test span of a separate project. If this variable is set, the public API sends canaries to this address and reads them back. Each path into the tables (direct, staged, ingestion) has its own canaries. The metric svc_canary_seconds shows the time from the acknowledgement of a canary until the canary is found in the store.',
  }),
  canaryIntervalMs: setting.durationMs({
    env: 'SVC_CANARY_INTERVAL_MS',
    default: '10s',
    min: 200,
    max: 600_000,
    says: 'How often a canary is sent on each path.',
  }),
  adminApiKey: setting.secret({
    env: 'ADMIN_API_KEY',
    valid: 'at least 16 visible characters',
    pattern: /^[!-~]{16,}$/,
    optional: true,
    says: 'Key for instance administration at /api/admin. If not set, requests to /api/admin are refused.',
  }),
  ...oidcSettings,
  rateLimits,
  webDirectory: setting.text({
    env: 'SVC_WEB_DIR',
    optional: true,
    valid: 'a path',
    says: 'Directory of a web app build, which is served beside /api on PORT. The command npm start builds the web app and sets this variable. If not set, only the API is served.',
  }),
  workers: mapped(
    setting.integer({
      env: 'SVC_API_WORKERS',
      optional: true,
      min: 1,
      max: 64,
      says: 'Number of threads for bodies that are too large for the event loop. The threads are started on demand. One project can use all of these threads except one. Default: the number of CPU cores minus one, at least 2 and at most 4.',
    }),
    (workers = defaultWorkers()) => workers,
  ),
}

export const publicPort = setting.port({ env: 'PORT', default: 3000, says: 'Port of the public API (all of /api/public).' })

export const apiProbePort = setting.port({
  env: 'SVC_API_PROBE_PORT',
  default: 3010,
  says: 'Port of the public API’s probes and metrics.',
})

export type ApiConfig = Omit<ValuesOf<typeof apiVariables>, 'otelBehaviour'>

export function apiProblems(config: ValuesOf<typeof apiVariables>): readonly string[] {
  const problems = config.otlpUrls.flatMap(url =>
    isOrigin(url) ? [] : [`SVC_OTLP_URL: ${url} is not the address of a gateway, such as http://gateway:4318.`],
  )
  if (config.maxInflightBytes < 2 * maxBatchBytes) problems.push('SVC_API_MAX_INFLIGHT_BYTES is less than twice the largest body.')
  return [
    ...migrationProblems(config),
    ...tlsProblems(config),
    ...oidcProblems(config),
    ...rateLimitProblems(config.rateLimits),
    ...problems,
  ]
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.pathname === '/' && url.search === '' && url.username === ''
}
