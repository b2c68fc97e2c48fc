import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createHealth, healthy, unhealthy } from '../src/health/index.ts'
import { createMonitorPage, type MonitorPageOptions } from '../src/probes/index.ts'

async function serve(options: Partial<MonitorPageOptions> = {}) {
  const health = createHealth()
  const page = createMonitorPage({ health, reports: () => ({}), ...options })
  const server = createServer((request, response) => {
    if (!page(request, response)) response.writeHead(404).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    return [response.status, response.status === 404 ? null : await response.json()]
  }
  return { health, ask }
}

test('passes without a query, and leaves other paths to other handlers', async () => {
  const { ask } = await serve()
  expect([await ask('/api/health'), await ask('/api/ready')]).toEqual([
    [200, { status: 'ok' }],
    [200, { status: 'ok' }],
  ])
  expect((await ask('/api/else'))[0]).toBe(404)
})

test('names the part that is stuck, with the report of its service', async () => {
  let stuck = false
  const { ask, health } = await serve({ reports: () => ({ eventPropagation: async () => ({ enabled: true, stuck }) }) })
  let progress = healthy
  health.register({ name: 'writer', probe: 'progress', check: () => progress })
  const both = '/api/health?failIfEventPropagationStuck=true&failIfQueueConsumptionStuck=true'
  expect(await ask(both)).toEqual([
    200,
    {
      status: 'ok',
      eventPropagation: { enabled: true, stuck: false },
      queueConsumption: { stuck: false, checks: { writer: { ok: true } } },
    },
  ])
  stuck = true
  progress = unhealthy('nothing moves')
  expect(await ask(both)).toMatchObject([503, { status: 'Event propagation stuck; Queue consumption stuck' }])
  expect((await ask('/api/health?failIfEventPropagationStuck=false'))[0]).toBe(200)
})

test.each(['EventPropagation', 'Constructor', 'ToString'])('passes for a service that does not run in this process: %s', async name => {
  const { ask } = await serve()
  const field = `${name[0]!.toLowerCase()}${name.slice(1)}`
  expect(await ask(`/api/health?failIf${name}Stuck=true`)).toEqual([200, { status: 'ok', [field]: { enabled: false, stuck: false } }])
})

test('fails when the relational store is not open or does not respond, and is not ready while the process stops', async () => {
  const { ask, health } = await serve({ database: () => undefined })
  expect(await ask('/api/health')).toEqual([500, { status: 'error' }])
  const silent = await serve({ database: () => ({ ping: () => Promise.reject(new Error('gone')) }) })
  expect(await silent.ask('/api/health')).toEqual([500, { status: 'error' }])
  health.drain()
  expect(await ask('/api/ready')).toEqual([500, { status: 'SIGTERM / SIGINT received, shutting down' }])
})

test('evaluates a repeated name once, and only the first names of a long query', async () => {
  let evaluated = 0
  const report = async () => ({ stuck: ++evaluated < 0 })
  const { ask } = await serve({ reports: () => ({ eventPropagation: report }) })
  const [status] = await ask(`/api/health?${'failIfEventPropagationStuck=true&'.repeat(300)}`)
  expect([status, evaluated]).toEqual([200, 1])
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const names = letters.flatMap(one => letters.map(other => `failIf${one}${other.toLowerCase()}Stuck=true`))
  const [, body] = await ask(`/api/health?${names.slice(0, 400).join('&')}`)
  expect(Object.keys(body as object)).toHaveLength(1 + 32)
})
