// Tests that events_only refuses old SDKs (contract §7.1).
import { expect, test } from 'vitest'
import { startGateway } from './gateway.ts'
import { requestOf, span } from './requests.ts'

const old = [
  [{ 'x-svc-sdk-name': 'svc-js', 'x-svc-sdk-version': '3.39.2' }, /JS\/TS SDK 5\.4\.0 or newer/],
  [{ x_svc_sdk_name: 'python', x_svc_sdk_version: '2.60.10' }, /Python SDK 4\.7\.0 or newer/],
] as const

test('events_only refuses SDKs that are too old, names the version to upgrade to, and stores nothing', async () => {
  await using gateway = await startGateway()
  for (const [headers, sentence] of old) {
    const answer = await gateway.send('/v1/traces', {
      headers: { ...headers, 'content-type': 'application/json' },
      body: Buffer.from('{}'),
    })
    expect([answer.status, String(answer.body)]).toEqual([400, expect.stringMatching(sentence)])
  }
  expect(await gateway.batches('spans.direct')).toEqual([])
})

test('events_only accepts the next SDK generation, and dual accepts every SDK', async () => {
  await using only = await startGateway()
  const headers = { 'x-svc-sdk-name': 'python', 'x-svc-sdk-version': '3.0.0' }
  expect((await only.send('/v1/traces', { headers, body: requestOf(span()) })).status).toBe(200)
  await using dual = await startGateway({ config: { writeMode: 'dual', otelBehaviour: 'dual_write' } })
  for (const [sent] of old) expect((await dual.send('/v1/traces', { headers: sent, body: requestOf(span()) })).status).toBe(200)
})
