// The setting for rate limits. The public API and the gateway both have this setting.
import { buckets } from '@svc-server/api/buckets'
import type { RateLimit } from '@svc-server/fairness/rate-limits'
import { mapped, setting } from '@svc-server/service/configuration'

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const entry = `(?:${buckets.join('|')})=[1-9]\\d{0,8}/[1-9]\\d{0,4}[smhd]`

const rateLimitsOf = (text = ''): readonly RateLimit[] =>
  [...text.matchAll(/([a-z0-9-]+)=(\d+)\/(\d+)([smhd])/g)].map(([, bucket = '', requests, length, unit = 's']) => ({
    bucket,
    requests: Number(requests),
    windowMs: Number(length) * unitMs[unit]!,
  }))

export const rateLimits = mapped(
  setting.text({
    env: 'SVC_RATE_LIMITS',
    optional: true,
    valid: `BUCKET=REQUESTS/TIME, comma-separated, such as ingestion=20000/60s,public-api-v2-metrics=500/1h; the buckets are ${buckets.join(', ')}`,
    pattern: new RegExp(`^${entry}(?:,${entry})*$`),
    says: 'For each bucket, the maximum number of requests that one organization can send with its API keys. docs/api.md names the bucket of each operation; OTLP requests use the bucket “ingestion”. A request beyond a limit gets 429 with Retry-After. Each replica of the public API and of the gateway counts only its own requests. Requests of the web app are not counted. By default, there are no limits.',
  }),
  rateLimitsOf,
)

export function rateLimitProblems(limits: readonly RateLimit[]): readonly string[] {
  const names = limits.map(({ bucket }) => bucket)
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  return repeated === undefined ? [] : [`SVC_RATE_LIMITS has two limits for ${repeated}. Keep one of them.`]
}
