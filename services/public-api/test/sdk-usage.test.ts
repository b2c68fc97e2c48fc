import { AppError } from '@svc-server/errors'
import { ingestionFixtures } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { publicKeyAlone, startApi, type TestApi } from './api.ts'

const path = '/api/public/ingestion'
const dual = { SVC_MIGRATION_V4_WRITE_MODE: 'dual', SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write' }
const fixtures = ingestionFixtures().map(fixture => [fixture.client, fixture] as const)
const score = { traceId: 't', name: 'n', value: 1 }

async function said(api: TestApi) {
  await api.drain()
  const usage = await api.sdkUsage()
  return usage
    .map(({ sdkName, sdkVersion, path, requests, events, scores }) => [sdkName, sdkVersion, path, requests, events, scores])
    .sort()
}

test.each(fixtures)(
  '%s: accepted events, and those that events_only refuses, are counted under the SDK’s own name',
  async (_, { headers, body }) => {
    const given = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase().replaceAll('_', '-'), value]))
    const sdk = [given.get('x-svc-sdk-name'), given.get('x-svc-sdk-version')]
    const scores = body.batch.filter(({ type }) => type === 'score-create').length
    const events = body.batch.length - scores
    expect(Math.min(scores, events)).toBeGreaterThan(0)

    await using before = await startApi({ env: dual })
    await before.send('POST', path, { headers, body })
    await before.send('POST', path, { headers, body })
    expect(await said(before)).toEqual([[...sdk, 'ingestion', 2, 2 * events, 2 * scores]])

    await using after = await startApi()
    await after.send('POST', path, { headers, body })
    expect(await said(after)).toEqual([
      [...sdk, 'ingestion', 1, 0, scores],
      [...sdk, 'refused', 1, events, 0],
    ])
  },
)

test('requests to the route of scores are counted, except invalid, unauthenticated or unacknowledged requests', async () => {
  let isDown = false
  await using api = await startApi({
    log: real => ({
      async append(topic, records) {
        if (isDown && topic === 'scores') throw new AppError('log_unavailable', 'down')
        return real.append(topic, records)
      },
    }),
  })
  const headers = { 'x-svc-sdk-name': 'python', 'x-svc-sdk-version': '5.0.4' }
  const send = (body: unknown, more: object = {}) => api.send('POST', '/api/public/scores', { headers, body, ...more })
  await send([score, score, { name: 'no value' }])
  await send([{ name: 'no value' }])
  await send(score, { authorization: publicKeyAlone })
  await send(score, { authorization: 'Basic eDp5' })
  // In every write mode, a trace event with only a public key gets this 401, even from a new SDK. The event is not counted as refused.
  await api.send('POST', path, {
    headers,
    authorization: publicKeyAlone,
    body: { batch: [{ id: 'e', type: 'trace-create', timestamp: new Date().toISOString(), body: {} }] },
  })
  isDown = true
  expect((await send(score)).status).toBe(503)
  isDown = false
  expect(await said(api)).toEqual([['python', '5.0.4', 'scores', 2, 0, 3]])
})
