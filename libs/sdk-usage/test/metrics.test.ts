import { createMetricRegistry, createMetrics } from '@svc-server/service/metrics'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sdkMetrics, sdkSeries } from '../src/metrics.ts'

const { labels } = sdkMetrics.sdkRequests
const path = fc.constantFrom(...labels.path)
const anyName = fc.oneof(fc.string(), fc.constantFrom('python', 'svc-ts', '@svc/otel', 'unknown', 'constructor', ''))
const anyVersion = fc.oneof(
  fc.string(),
  fc.tuple(fc.nat(30), fc.nat(99), fc.nat(99)).map(parts => parts.join('.')),
)

test('no header creates a series outside of the catalog, and other vendors’ SDKs share one series per path', async () => {
  const registry = createMetricRegistry({ runtime: false })
  const { sdkRequests } = createMetrics(sdkMetrics, registry)
  let counted = 0
  fc.assert(
    fc.property(anyName, anyVersion, path, (sdkName, sdkVersion, path) => {
      const series = sdkSeries({ sdkName, sdkVersion, path })
      sdkRequests.inc(series)
      counted++
      expect([labels.sdk, labels.version]).toEqual([expect.arrayContaining([series.sdk]), expect.arrayContaining([series.version])])
      if (series.sdk === 'none' || series.sdk === 'other') expect(series.version).toBe('other')
    }),
    { numRuns: 5_000 },
  )
  const values = [...(await registry.render()).matchAll(/^svc_sdk_requests_total\{.*\} (\d+)$/gm)].map(([, value]) => Number(value))
  expect(values.reduce((sum, value) => sum + value, 0)).toBe(counted)
  const ours = labels.sdk.length - 2
  expect(values.length).toBeLessThanOrEqual((ours * labels.version.length + 2) * labels.path.length)
})

test.each([
  ['svc-python', '2.60.3', 'python', '2'],
  ['@svc/core', 'v5.4.0-rc.1', 'javascript', '5'],
  ['python', 'unknown', 'python', 'other'],
  ['js', '10.0.0', 'javascript', 'other'],
  ['unknown', 'unknown', 'none', 'other'],
  ['somebody-elses', '1.2.3', 'other', 'other'],
])('%s %s counts as %s %s', (sdkName, sdkVersion, sdk, version) => {
  expect(sdkSeries({ sdkName, sdkVersion, path: 'direct' })).toEqual({ sdk, version, path: 'direct' })
})
