// Tests a port with a base path. Handlers must get the route without the base path.
import type { IncomingMessage, RequestListener } from 'node:http'
import { closeServer, listen } from '@svc-server/http/listeners'
import { expect, onTestFinished, test } from 'vitest'
import { type ClientListenerConfig, connectionSettings, createClientListener } from '../src/connections/index.ts'
import { createLogger } from '../src/logs/index.ts'
import { createMetricRegistry } from '../src/metrics/index.ts'

const config: ClientListenerConfig = {
  ...{ bodyTimeoutMs: 1_000, trustedProxies: [], maxConnections: 64, basePath: '/svc' },
  ...{ tlsMinVersion: 'TLSv1.2', tlsReloadMs: 50, tlsHandshakeTimeoutMs: 60_000, tlsHandshakesPerSecond: 100 },
}

test('handlers of this and of other services see the path without the base path', async () => {
  const tools = { metrics: createMetricRegistry({ runtime: false }), logger: createLogger({ service: 'test', level: 'fatal' }) }
  const says =
    (who: string): RequestListener =>
    ({ url }, response) =>
      response.end(`${who} ${url}`)
  const handlers = (who: string) => ({ handle: says(who), handleExpectingContinue: says(who) })
  const elsewhere = ({ url = '' }: IncomingMessage) => (url.startsWith('/v1/') ? handlers('gateway') : undefined)
  const front = createClientListener({ name: 'test', config, tools, elsewhere })
  front.attach(handlers('api'))
  const server = front.newServer()
  const { port } = await listen(server, { host: '127.0.0.1', port: 0, variable: 'X' })
  onTestFinished(() => closeServer(server, { graceMs: 0 }))
  const said = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).then(response => response.text())
  expect(await said('/svc/api/public/traces?page=2')).toBe('api /api/public/traces?page=2')
  expect(await said('/svc/v1/traces')).toBe('gateway /v1/traces')
  expect(await said('/v1/traces')).toBe('gateway /v1/traces')
})

test.each([
  ['/svc', true],
  ['/tools/svc.v4', true],
  ['/apis', true],
  ['/', false],
  ['svc', false],
  ['/svc/', false],
  ['/api', false],
  ['/api/public', false],
  ['/v1', false],
  ['/a//b', false],
  ['/a b', false],
])('whether SVC_BASE_PATH=%s is accepted: %s', (text, isTaken) => {
  expect(connectionSettings.basePath.read(text) !== undefined).toBe(isTaken)
})
