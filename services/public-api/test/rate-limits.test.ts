// Tests the rate limits of each bucket and organization (contract §16.6).
import { createRateLimits } from '@svc-server/fairness/rate-limits'
import { loadSettings } from '@svc-server/service/configuration'
import { expect, test } from 'vitest'
import { publicApi } from '../src/service.ts'
import { organizationKey, publicKeyAlone, startApi } from './api.ts'

const score = { traceId: 't', name: 'quality', value: 1 }

test('a request beyond the limit gets 429 with the limit and the time at which it ends; other buckets are unaffected', async () => {
  await using api = await startApi({ env: { SVC_RATE_LIMITS: 'ingestion=2/1h,public-api=1000/60s' } })
  const sentAt = Date.now()
  for (let i = 0; i < 2; i++) expect((await api.send('POST', '/api/public/scores', { body: score })).status).toBe(200)
  const refused = await api.send('POST', '/api/public/scores', { body: score })
  expect(refused.status).toBe(429)
  const { retryAfterSeconds, resetAt, ...rest } = refused.json.details
  expect(refused.json).toEqual({ message: 'Rate limit exceeded', code: 'rate_limited', details: refused.json.details })
  expect(rest).toEqual({ limit: 2, remaining: 0 })
  expect(retryAfterSeconds).toBeGreaterThan(3_500)
  expect(retryAfterSeconds).toBeLessThanOrEqual(3_600)
  expect(refused.headers).toMatchObject({
    'retry-after': String(retryAfterSeconds),
    'x-ratelimit-limit': '2',
    'x-ratelimit-remaining': '0',
  })
  expect(Date.parse(String(refused.headers['x-ratelimit-reset']))).toBe(Math.floor(Date.parse(resetAt) / 1000) * 1000)
  expect(Date.parse(resetAt)).toBeGreaterThanOrEqual(sentAt + 3_600_000)
  // The limit counts requests with all keys of the organization, including keys that can only write scores.
  expect((await api.send('POST', '/api/public/scores', { body: score, authorization: publicKeyAlone })).status).toBe(429)
  const accepted = await api.send('GET', '/api/public/v2/observations')
  expect(accepted.status).toBe(200)
  expect(Object.keys(accepted.headers).filter(name => name.startsWith('x-ratelimit'))).toEqual([])
  expect(await api.scores()).toHaveLength(2)
  expect(await api.metric('svc_api_refused_total', { reason: 'rate_limited' })).toBe(2)
})

test('the limit is checked after the credentials and before the body', async () => {
  await using api = await startApi({ env: { SVC_RATE_LIMITS: 'ingestion=1/1d' } })
  expect((await api.send('POST', '/api/public/scores', { body: score, authorization: organizationKey })).status).toBe(403)
  expect((await api.send('POST', '/api/public/scores', { body: '{' })).status).toBe(400)
  expect((await api.send('POST', '/api/public/scores', { body: '{' })).status).toBe(429)
  expect((await api.send('POST', '/api/public/scores', { body: score, authorization: 'Bearer unknown' })).status).toBe(401)
})

test('a refused legacy read names its replacement', async () => {
  await using api = await startApi({ env: { SVC_RATE_LIMITS: 'public-api-legacy=1/1m', SVC_MIGRATION_V4_WRITE_MODE: 'dual' } })
  await api.send('GET', '/api/public/traces')
  const refused = await api.send('GET', '/api/public/traces')
  expect([refused.status, refused.json.message]).toEqual([
    429,
    expect.stringMatching(/^Rate limit exceeded\. .*GET \/api\/public\/v2\/observations/),
  ])
})

test('a tool of the MCP server counts in the bucket of its operation', async () => {
  await using api = await startApi({ env: { SVC_RATE_LIMITS: 'public-api-v2-metrics=1/1h' } })
  const call = async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'metrics_metrics', arguments: { query: '{}' } } }
    return (await api.send('POST', '/api/public/mcp', { body })).text
  }
  expect(await call()).not.toContain('rate_limited')
  expect(await call()).toContain('rate_limited')
})

test('windows begin with a request, and organizations do not share them', () => {
  let now = 1_000
  const limits = createRateLimits([{ bucket: 'datasets', requests: 3, windowMs: 10_000 }], () => now)
  const taken = (organization: string) => {
    try {
      limits.take({ organization, bucket: 'datasets' })
      return true
    } catch {
      return false
    }
  }
  const times = (count: number, organization = 'a') => Array.from({ length: count }, () => taken(organization)).filter(Boolean).length
  expect([times(5), times(5, 'b')]).toEqual([3, 3])
  now += 9_999
  expect(times(5)).toBe(0)
  now += 1
  expect(times(5)).toBe(3)
  now += 120_000
  expect([times(5), times(1, 'c')]).toEqual([3, 1])
})

test.each([
  ['public-api=10', 'SVC_RATE_LIMITS'],
  ['unknown=10/60s', 'SVC_RATE_LIMITS'],
  ['public-api=0/60s', 'SVC_RATE_LIMITS'],
  ['public-api=10/60s,', 'SVC_RATE_LIMITS'],
  ['public-api=10/60s,public-api=20/1h', 'SVC_RATE_LIMITS has two limits for public-api.'],
])('refuses %s', (text, words) => {
  const load = () => loadSettings([publicApi.variables], { SVC_RATE_LIMITS: text }, { service: 'public-api', validate: publicApi.problems })
  expect(load).toThrow(words)
})
