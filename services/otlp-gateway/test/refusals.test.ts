import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { organizationAuthorization, projectAuthorization, startGateway, type TestGateway } from './gateway.ts'
import { readStatus, requestOf, span } from './requests.ts'

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

describe('refusals', () => {
  const cases: [string, Parameters<TestGateway['send']>[1] & { path?: string }, number, number][] = [
    ['no key', { headers: { authorization: null } }, 401, 16],
    ['an unknown key', { headers: { authorization: 'Basic eDp5' } }, 401, 16],
    ['an organization key', { headers: { authorization: organizationAuthorization } }, 403, 7],
    ['no media type', { headers: { 'content-type': null } }, 415, 3],
    ['another media type', { headers: { 'content-type': 'text/plain' } }, 415, 3],
    ['another encoding', { headers: { 'content-encoding': 'br' } }, 415, 12],
    ['two encodings', { headers: { 'content-encoding': 'gzip, zstd' } }, 415, 12],
    ['no protobuf', { body: Buffer.from('hello, world') }, 400, 3],
    ['no JSON', { headers: { 'content-type': 'application/json' }, body: Buffer.from('{"resourceSpans":[') }, 400, 3],
    ['no gzip', { headers: { 'content-encoding': 'gzip' }, body: Buffer.from('hello, world') }, 400, 3],
    ['cut gzip', { headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(50_000, 'x')).subarray(0, 60) }, 400, 3],
    ['logs', { path: '/v1/logs' }, 404, 12],
    ['another path', { path: '/v1/nothing' }, 404, 12],
    ['another method', { method: 'PUT' }, 405, 12],
    ['GET', { method: 'GET', headers: { 'content-type': null } }, 405, 12],
  ]

  test.each(cases)('%s', async (_, { path = '/v1/traces', ...options }, status, code) => {
    const answer = await gateway.send(path, { body: requestOf(span()), ...options })
    expect(answer.status).toBe(status)
    expect(readStatus(answer)).toMatchObject({ code, message: expect.stringMatching(/\w+.*\.$/) })
    expect(answer.headers['retry-after']).toBeUndefined()
    const sent = options.headers?.['content-type']
    const json = sent === null || (sent !== undefined && !String(sent).includes('protobuf'))
    expect(answer.headers['content-type']).toBe(json ? 'application/json' : 'application/x-protobuf')
  })

  test('refusals based on headers are counted by cause; refusals based on the body are not', async () => {
    const counted = (cause: string) => gateway.metric('svc_gateway_refused_unread_total', { cause })
    const causes = ['key_missing', 'key_unknown', 'key_scope', 'sdk_too_old', 'other']
    const before = await Promise.all(causes.map(counted))
    await gateway.send('/v1/traces', { body: requestOf(span()), headers: { authorization: null } })
    await gateway.send('/v1/metrics', { body: Buffer.alloc(0), headers: { authorization: 'Basic eDp5' } })
    await gateway.send('/v1/traces', { body: requestOf(span()), headers: { authorization: organizationAuthorization } })
    await gateway.send('/v1/traces', { body: requestOf(span()), headers: { 'x-svc-sdk-name': 'python', 'x-svc-sdk-version': '2.0.0' } })
    await gateway.send('/v1/traces', { body: requestOf(span()), headers: { 'content-encoding': 'br' } })
    await gateway.send('/v1/traces', { body: Buffer.from('hello, world') })
    expect(await Promise.all(causes.map(counted))).toEqual(before.map(count => count + 1))
  })

  test('405 lists the allowed methods, 401 names the scheme', async () => {
    expect((await gateway.send('/v1/traces', { method: 'DELETE' })).headers.allow).toBe('POST, OPTIONS')
    expect((await gateway.send('/v1/traces', { headers: { authorization: null } })).headers['www-authenticate']).toMatch(/^Basic/)
  })

  test.each(['/v1/traces', '/v1/metrics'])('%s: duplicate credentials are refused, whatever their values and order', async path => {
    const pairs = [
      [projectAuthorization, organizationAuthorization],
      [organizationAuthorization, projectAuthorization],
      [projectAuthorization, projectAuthorization],
      ['Basic eDp5', projectAuthorization],
    ]
    for (const authorization of pairs) {
      const answer = await gateway.send(path, { body: requestOf(span()), headers: { authorization } })
      expect(answer.status).toBe(400)
      expect(readStatus(answer)).toMatchObject({ code: 3, message: expect.stringContaining('more than once') })
    }
    expect((await gateway.send(path, { headers: { authorization: [projectAuthorization] } })).status).toBe(200)
  })

  test('an unknown key gets the same response whatever else is wrong, so that no response reveals whether a project exists', async () => {
    const answers = []
    for (const headers of [{}, { 'content-type': 'text/plain' }, { 'content-encoding': 'br' }, { 'x-svc-ingestion-version': 'four' }]) {
      const { status, body } = await gateway.send('/v1/traces', {
        headers: { 'content-type': 'application/json', ...headers, authorization: 'Basic eDp5' },
      })
      answers.push([status, body.toString()])
    }
    expect(new Set(answers.map(String)).size).toBe(1)
  })
})

describe('F32 · x-svc-ingestion-version', () => {
  test.each([['7'], ['four'], ['4.0'], [''], ['4, 3']])('%j is refused with a message that quotes it', async value => {
    for (const name of ['x-svc-ingestion-version', 'X-Svc-Ingestion-Version', 'x_svc_ingestion_version']) {
      const answer = await gateway.send('/v1/traces', { body: requestOf(span()), headers: { [name]: value } })
      expect(answer.status).toBe(400)
      expect(readStatus(answer)).toMatchObject({ code: 3, message: expect.stringContaining('x-svc-ingestion-version') })
      expect(answer.headers['x-svc-route']).toBeUndefined()
    }
  })

  test('a header sent twice with different values is refused, whether its spelling is the same or not', async () => {
    const twice = await gateway.send('/v1/traces', { body: requestOf(span()), headers: { 'x-svc-ingestion-version': ['4', '3'] } })
    expect(twice.status).toBe(400)
    const both = await gateway.send('/v1/traces', {
      body: requestOf(span()),
      headers: { 'x-svc-ingestion-version': '4', x_svc_ingestion_version: '3' },
    })
    expect(both.status).toBe(400)
  })

  test.each([
    [{ 'x-svc-ingestion-version': '4' }, 'direct; reason=header'],
    [{ x_svc_ingestion_version: '4' }, 'direct; reason=header'],
    [{ 'x-svc-ingestion-version': '2' }, 'staging; reason=header-opt-out'],
    [{ x_svc_sdk_name: 'python', x_svc_sdk_version: '4.7.0' }, 'direct; reason=real-time-sdk'],
    [{}, 'direct; reason=otel-behaviour'],
  ] as [Record<string, string>, string][])('headers %j choose the route %s', async (headers, route) => {
    const answer = await gateway.send('/v1/traces', { body: requestOf(span()), headers })
    expect(answer.status).toBe(200)
    expect(answer.headers['x-svc-route']).toBe(route)
  })
})
