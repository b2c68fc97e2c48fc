// Tests credentials, content formats, size limits and the format of errors on all routes (contract §§16.2 to 16.4).

import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { AppError } from '@svc-server/errors'
import { expect, test } from 'vitest'
import { organizationKey, publicKeyAlone, startApi } from './api.ts'

const score = { name: 'n', value: 1, traceId: 't' }
const scores = '/api/public/scores'

test.each<[string, string | null, number, RegExp]>([
  ['no credentials', null, 401, /^No authorization header/],
  ['a wrong secret', `Basic ${Buffer.from('pk-test:wrong').toString('base64')}`, 401, /^Invalid credentials/],
  ['an unknown public key', 'Bearer pk-unknown', 401, /^Invalid credentials/],
  ["an organization's key", organizationKey, 403, /insufficient permissions for this endpoint/],
])('%s: %s', async (_, authorization, status, message) => {
  await using api = await startApi()
  const answer = await api.send('POST', scores, { authorization, body: score })
  expect([answer.status, answer.json]).toEqual([status, { message: expect.stringMatching(message) }])
  expect(answer.headers['www-authenticate']).toBe(status === 401 ? 'Basic realm="svc"' : undefined)
  expect(await api.scores()).toEqual([])
})

test.each([
  ['a public key alone has too little access', publicKeyAlone, 403],
  ['an unknown public key is invalid', 'Bearer pk-unknown', 401],
  ['no public key is invalid', 'Bearer', 401],
])('on routes for key pairs, %s', async (_, authorization, status) => {
  await using api = await startApi()
  for (const [method, path] of [['GET', '/api/public/v3/scores'] as const, ['DELETE', `${scores}/x`] as const]) {
    expect((await api.send(method, path, { authorization })).status).toBe(status)
  }
})

test('duplicate credentials are refused', async () => {
  await using api = await startApi()
  const socket = connect(api.port, '127.0.0.1')
  const twice = 'authorization: Bearer pk-test\r\nauthorization: Bearer pk-unknown\r\n'
  socket.write(`GET /api/public/v3/scores HTTP/1.1\r\nhost: x\r\n${twice}connection: close\r\n\r\n`)
  const [chunk] = await once(socket, 'data')
  expect(String(chunk)).toMatch(/^HTTP\/1\.1 400 /)
  socket.destroy()
})

test.each<[string, string, string, object, number, string]>([
  ['an unknown path', 'GET', '/api/public/nothing', {}, 404, 'SvcNotFoundError'],
  ['another method', 'PUT', scores, {}, 405, 'MethodNotAllowedError'],
  ['a path that cannot be read', 'DELETE', `${scores}/%zz`, {}, 400, 'InvalidRequestError'],
  [
    'a form',
    'POST',
    scores,
    { body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    415,
    'UnsupportedMediaTypeError',
  ],
  ['no media type', 'POST', scores, { body: '{}', headers: { 'content-type': '' } }, 415, 'UnsupportedMediaTypeError'],
  [
    'a compressed body',
    'POST',
    scores,
    { body: gzipSync('{}'), headers: { 'content-encoding': 'gzip' } },
    415,
    'UnsupportedMediaTypeError',
  ],
  ['more than 1 MB', 'POST', scores, { body: ' '.repeat(1_000_001) }, 413, 'PayloadTooLargeError'],
  ['more than 4.5 MB', 'POST', '/api/public/ingestion', { body: ' '.repeat(4_500_001) }, 413, 'PayloadTooLargeError'],
])('%s', async (_, method, path, options, status, error) => {
  await using api = await startApi()
  const answer = await api.send(method, path, options)
  expect([answer.status, answer.json.error]).toEqual([status, error])
  expect(answer.headers['access-control-allow-origin']).toBe('*')
})

test.each<[string, string | Uint8Array, RegExp]>([
  ['no JSON', '{', /is not JSON/],
  ['nothing', '', /is not JSON/],
  ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), /UTF-8/],
  ['ten thousand levels', `${'['.repeat(10_000)}${']'.repeat(10_000)}`, /deeper than 100 levels/],
  [
    'a hundred levels in one field',
    JSON.stringify({ ...score, metadata: JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`) }),
    /deeper than 100/,
  ],
])('a body of %s is refused with 400', async (_, body, sentence) => {
  await using api = await startApi()
  const answer = await api.send('POST', scores, { body })
  expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(sentence)])
})

test('an invalid batch gets 400 with texts and issues', async () => {
  await using api = await startApi()
  for (const body of [{}, [], { batch: {} }, { batch: Array.from({ length: 10_001 }, () => 1) }]) {
    const answer = await api.send('POST', '/api/public/ingestion', { body })
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({
      message: 'Invalid request data',
      error: [{ path: expect.any(Array) }],
      errors: [expect.any(String)],
    })
  }
})

test('preflights succeed for any origin without credentials', async () => {
  await using api = await startApi()
  const headers = {
    origin: 'https://app.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
  }
  const answer = await api.send('OPTIONS', scores, { authorization: null, headers })
  expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([204, 'https://app.example'])
  expect(answer.headers['access-control-allow-headers']).toBe('authorization')
  expect(answer.headers['access-control-allow-methods']).toContain('POST')
  expect(answer.headers['access-control-allow-credentials']).toBe(undefined)
  const sent = await api.send('POST', scores, { authorization: publicKeyAlone, headers: { origin: 'https://app.example' }, body: score })
  expect([sent.status, sent.headers['access-control-allow-origin']]).toEqual([200, 'https://app.example'])
})

const removed = [
  ...['POST /traces', 'POST /events', 'POST /spans', 'PATCH /spans', 'POST /generations', 'PATCH /generations'],
  ...['GET /traces', 'GET /traces/x', 'GET /observations', 'GET /observations/x', 'GET /sessions', 'GET /sessions/x'],
  ...['GET /scores', 'GET /scores/x', 'GET /v2/scores', 'GET /v2/scores/x', 'GET /metrics', 'GET /metrics/daily'],
  ...['GET /dataset-run-items', 'GET /datasets/x/runs', 'GET /datasets/x/runs/y', 'DELETE /datasets/x/runs/y'],
]

test('events_only responds 404 for removed routes before authentication and names the replacement', async () => {
  await using api = await startApi()
  for (const route of removed) {
    const [method = '', path] = route.split(' ')
    const answer = await api.send(method, `/api/public${path}`, { authorization: null })
    expect([route, answer.status]).toEqual([route, 404])
    const { message } = answer.json as { message: string }
    expect(message).toMatch(/events_only\. Use .*\/api\/public\//)
    // The error names a replacement. The replacement must exist.
    for (const [, verb = '', replacement = ''] of message.split('events_only.')[1]!.matchAll(/(GET|DELETE) (\/api\/public\/\S*\w)/g)) {
      const { status } = await api.send(verb, replacement, { authorization: null })
      expect([replacement, status]).toEqual([replacement, 401])
    }
  }
})

test('dual mode serves these routes', async () => {
  const env = { SVC_MIGRATION_V4_WRITE_MODE: 'dual', SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write' }
  await using api = await startApi({ env })
  for (const route of removed) {
    const [method = '', path] = route.split(' ')
    expect([route, (await api.send(method, `/api/public${path}`, { authorization: null })).status]).toEqual([route, 401])
  }
})

test('doubled and trailing slashes are ignored', async () => {
  await using api = await startApi()
  expect((await api.send('GET', '//api//public/health/')).status).toBe(200)
})

test('health and readiness need no credentials, and check the database only on request', async () => {
  const ping = async () => {
    throw new AppError('relational_unavailable', 'down')
  }
  await using api = await startApi({ relational: { db: undefined as never, ping } })
  const status = async (path: string) => (await api.send('GET', path, { authorization: null })).status
  expect(await status('/api/public/health')).toBe(200)
  expect(await status('/api/public/ready')).toBe(200)
  expect(await status('/api/public/health?failIfDatabaseUnavailable=true')).toBe(503)
})

test('a client that waits for 100 Continue gets it only after authentication', async () => {
  await using api = await startApi()
  const talk = async (authorization: string) => {
    const socket = connect(api.port, '127.0.0.1')
    const body = JSON.stringify(score)
    const lines = [
      `authorization: ${authorization}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
      'expect: 100-continue',
    ]
    socket.write(`POST ${scores} HTTP/1.1\r\nhost: x\r\n${lines.join('\r\n')}\r\n\r\n`)
    const [first] = await once(socket, 'data')
    if (!String(first).startsWith('HTTP/1.1 100')) return String(first)
    socket.write(body)
    const [second] = await once(socket, 'data')
    socket.destroy()
    return `100 ${String(second)}`
  }
  expect(await talk(publicKeyAlone)).toMatch(/^100 HTTP\/1\.1 200 /)
  expect(await talk('Bearer pk-unknown')).toMatch(/^HTTP\/1\.1 401 /)
})

test('memory for bodies is bounded and released', async () => {
  await using api = await startApi({ env: { SVC_API_MAX_INFLIGHT_BYTES: '16MiB' } })
  const sockets = Array.from({ length: 12 }, () => connect(api.port, '127.0.0.1'))
  const refusals: string[] = []
  for (const socket of sockets) {
    socket.on('data', chunk => refusals.push(String(chunk).slice(0, 12))).on('error', () => {})
    const lines = [`authorization: ${publicKeyAlone}`, 'content-type: application/json', 'content-length: 4500000']
    socket.write(`POST /api/public/ingestion HTTP/1.1\r\nhost: x\r\n${lines.join('\r\n')}\r\n\r\n`)
    socket.write(Buffer.alloc(1_500_000, 0x20))
  }
  await expect.poll(() => refusals.length, { timeout: 20_000 }).toBeGreaterThan(0)
  expect(new Set(refusals)).toEqual(new Set(['HTTP/1.1 429']))
  expect(await api.metric('svc_api_inflight_bytes')).toBeLessThanOrEqual(8 * 1024 * 1024)
  for (const socket of sockets) socket.destroy()
  await expect.poll(() => api.metric('svc_api_inflight_bytes'), { timeout: 20_000 }).toBe(0)
})
