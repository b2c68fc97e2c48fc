import { createServer } from 'node:http'
import { closeServer, listen } from '@svc-server/http/listeners'
import { afterEach, describe, expect, test } from 'vitest'
import { createHealth, unhealthy } from '../src/health/index.ts'
import { createMetricRegistry, createMetrics } from '../src/metrics/index.ts'
import { createProbeHandler, createProbeServer } from '../src/probes/index.ts'

const host = '127.0.0.1'
const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

const startProbes = async () => {
  const health = createHealth({ version: '4.59.0' })
  const registry = createMetricRegistry({ runtime: false })
  const server = createProbeServer({ host, port: 0, variable: 'SVC_PROBE_PORT', health, metrics: registry, logger: { error: () => {} } })
  await server.start()
  cleanups.push(() => server.drain())
  return { health, registry, at: (path: string, init?: RequestInit) => fetch(`http://${host}:${server.port}${path}`, init) }
}

describe('probe server', () => {
  test.each(['startup', 'live', 'ready', 'progress'])('responds to /health/%s', async probe => {
    const { at } = await startProbes()
    const response = await at(`/health/${probe}?verbose=1`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toEqual({ status: 'OK', version: '4.59.0', checks: {} })
  })

  test('a failing probe responds with 503 and its reason', async () => {
    const { at, health } = await startProbes()
    health.register({ name: 'log', probe: 'ready', check: () => unhealthy('closed') })
    const response = await at('/health/ready')
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ status: 'UNAVAILABLE', checks: { log: { reason: 'closed' } } })
  })

  test('renders the metrics of its registry', async () => {
    const { at } = await startProbes()
    const response = await at('/metrics')
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    expect(await response.text()).toContain('svc_build_info')
  })

  test('HEAD has no body, other methods get 405 with Allow, and other paths get 404', async () => {
    const { at } = await startProbes()
    expect(await (await at('/health/live', { method: 'HEAD' })).text()).toBe('')
    const post = await at('/metrics', { method: 'POST' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect((await at('/health/nothing')).status).toBe(404)
  })

  test('a metric that throws fails the scrape, not the process', async () => {
    const { at, registry } = await startProbes()
    const { broken } = createMetrics({ broken: { type: 'gauge', name: 'svc_broken', help: 'x' } }, registry)
    broken.onScrape(() => {
      throw new Error('cannot be read')
    })
    expect((await at('/metrics')).status).toBe(500)
    expect((await at('/health/live')).status).toBe(200)
  })
})

test('a mounted handler leaves other requests to the service', async () => {
  const probes = createProbeHandler({ health: createHealth(), metrics: createMetricRegistry({ runtime: false }) })
  const server = createServer((request, response) => {
    if (!probes(request, response)) response.end('the service')
  })
  const { port } = await listen(server, { host, port: 0, variable: 'SVC_OTLP_PORT' })
  cleanups.push(() => closeServer(server, { graceMs: 100 }))
  expect(await (await fetch(`http://${host}:${port}/v1/traces`)).text()).toBe('the service')
  expect((await fetch(`http://${host}:${port}/health/live`)).status).toBe(200)
})
