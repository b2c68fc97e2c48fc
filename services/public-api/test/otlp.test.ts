import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { freePort, makeCertificate } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { startApi } from './api.ts'

const paths = ['/api/public/otel/v1/traces', '//api/public/otel/v1/traces', '/v1/traces']

test('requests below the OTLP path, whatever their slashes, go to the gateway of the same process; all others stay with the API', async () => {
  const seen: string[] = []
  const handle = (request: { readonly url?: string | undefined }, response: { end(text: string): void }) => {
    seen.push(request.url ?? '')
    response.end('the gateway')
  }
  await using api = await startApi({ gateway: { handle, handleExpectingContinue: handle } })
  for (const path of paths) expect((await api.send('POST', path, { body: 'x' })).text).toBe('the gateway')
  expect(seen).toEqual(paths)
  expect((await api.send('GET', '/api/public/health')).json.status).toBe('OK')
  expect((await api.send('GET', '/api/public/otelx/v1/traces')).status).toBe(404)
})

test('the gateway also gets what exporters with a wrong URL or a proxy send, so that its refusal names the path', async () => {
  const seen: string[] = []
  const handle = (request: { readonly url?: string | undefined }, response: { end(text: string): void }) => {
    seen.push(request.url ?? '')
    response.end('')
  }
  await using api = await startApi({ gateway: { handle, handleExpectingContinue: handle } })
  const wrong = [
    ...[
      '/',
      '//',
      '/?a=b',
      '/api',
      '/api/',
      '/api/public',
      '/api/public/',
      '/api/public/otel',
      '/api/public/otel?a',
      '//api//public//otel//',
    ],
    ...[
      '/API/Public/OTel',
      '/v1',
      '/v1//',
      '/V1/Traces',
      '/v1/v1/traces',
      '/v1/traces/v1/traces',
      '/otel',
      '/otlp/',
      '/otel/v1/traces',
      '/traces',
    ],
    ...['/traces/', '/metrics', '/api/otel/v1/metrics', '/api/public/otel/traces', '/x/v1/traces//', '/v1/traces%20', '/V1/metrics?a=b'],
    ...['/api/otel', '/api/public/otlp', '/api/public/OpenTelemetry/x', '/trace', '/v2/traces', '/api/v2/spans', '/api/traces?a', '/spans'],
    '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
  ]
  // A client behind a proxy sends the whole URL as the path.
  const whole = [...wrong, ''].map(path => `http://127.0.0.1:3000${path}`)
  for (const path of [...wrong, ...whole]) {
    const sent = request({ port: api.port, method: 'POST', path }).end()
    const [answer] = await once(sent, 'response')
    answer.resume()
    expect([path, seen.pop()?.at(0)]).toEqual([path, '/'])
  }
  const others = [
    '/api/public/traces',
    '/api/public/metrics',
    '/api/public/v2/metrics',
    '/api/public/ingestion',
    '/v2',
    '/apis',
    '/traces/x',
  ]
  for (const path of others) await api.send('POST', path, { body: '{}' })
  expect(seen).toEqual([])
  // Only exporters send protobuf. The gateway therefore responds to a protobuf request on any path.
  for (const path of others) {
    const sent = request({ port: api.port, method: 'POST', path, headers: { 'content-type': 'application/x-protobuf' } }).end()
    const [answer] = await once(sent, 'response')
    answer.resume()
  }
  expect(seen).toEqual(others)
})

test('remote gateways receive the same bytes with the client address; a gateway that is down is skipped', async () => {
  const gateway = createServer(async (request, response) => {
    const { authorization, 'x-forwarded-for': from, 'content-encoding': coding } = request.headers
    const body = await text(request)
    response
      .writeHead(200, { 'x-svc-route': 'direct' })
      .end(JSON.stringify({ url: request.url, authorization, from, coding, bytes: body.length }))
  })
  await new Promise<void>(resolve => gateway.listen(0, '127.0.0.1', resolve))
  const { port } = gateway.address() as AddressInfo
  const urls = `http://127.0.0.1:${await freePort()},http://127.0.0.1:${port}`
  {
    await using api = await startApi({ env: { SVC_OTLP_URL: urls } })
    for (const path of paths) {
      const body = 'x'.repeat(300_000)
      const answer = await api.send('POST', path, { body, authorization: 'Basic abc', headers: { 'content-encoding': 'gzip' } })
      expect([answer.status, answer.headers['x-svc-route']]).toEqual([200, 'direct'])
      expect(JSON.parse(answer.text)).toEqual({ url: path, authorization: 'Basic abc', from: '127.0.0.1', coding: 'gzip', bytes: 300_000 })
    }
  }
  gateway.closeAllConnections()
  await new Promise(resolve => gateway.close(resolve))
})

test('a kept-alive gateway connection accumulates nothing over many requests', async () => {
  const warnings: string[] = []
  const onWarning = ({ message }: Error) => void warnings.push(message)
  process.on('warning', onWarning)
  let connections = 0
  const gateway = createServer(async (request, response) => response.end(await text(request)))
  gateway.on('connection', () => connections++)
  await new Promise<void>(resolve => gateway.listen(0, '127.0.0.1', resolve))
  {
    await using api = await startApi({ env: { SVC_OTLP_URL: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}` } })
    for (let request = 0; request < 20; request++) expect((await api.send('POST', paths[0]!, { body: 'x' })).text).toBe('x')
  }
  process.off('warning', onWarning)
  expect(connections).toBeLessThan(5)
  expect(warnings).toEqual([])
  gateway.closeAllConnections()
  await new Promise(resolve => gateway.close(resolve))
})

test('a gateway with TLS gets requests if its certificate authority is trusted; otherwise clients get a retryable error', async () => {
  const pair = makeCertificate()
  const gateway = createTlsServer(pair, async (request, response) => response.end(String((await text(request)).length)))
  await new Promise<void>(resolve => gateway.listen(0, '127.0.0.1', resolve))
  await using api = await startApi({ env: { SVC_OTLP_URL: `https://127.0.0.1:${(gateway.address() as AddressInfo).port}` } })
  const send = () => api.send('POST', paths[0]!, { body: 'x'.repeat(300_000) })
  expect((await send()).status).toBe(503)
  const trusted = getCACertificates()
  setDefaultCACertificates([...trusted, pair.cert])
  expect(await send()).toMatchObject({ status: 200, text: '300000' })
  setDefaultCACertificates(trusted)
  gateway.closeAllConnections()
  await new Promise(resolve => gateway.close(resolve))
})

test('unreachable gateways cause 503 with Retry-After; without any gateway the path is 404', async () => {
  await using down = await startApi({ env: { SVC_OTLP_URL: `http://127.0.0.1:${await freePort()}` } })
  const answer = await down.send('POST', paths[0]!, { body: 'x' })
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1'])
  await using none = await startApi()
  expect((await none.send('POST', paths[0]!, { body: 'x' })).status).toBe(404)
})
