// Connections that send no request use all slots. The server must still respond to a probe.
import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { waitFor } from '@svc-server/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { createHealth } from '../src/health/index.ts'
import { createMetricRegistry } from '../src/metrics/index.ts'
import { createProbeServer } from '../src/probes/index.ts'

const host = '127.0.0.1'

async function served() {
  const server = createProbeServer({
    ...{ host, port: 0, variable: 'SVC_WORKER_PORT', health: createHealth(), logger: { error: () => {} } },
    metrics: createMetricRegistry({ runtime: false }),
  })
  await server.start()
  const sockets: Socket[] = []
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await server.drain()
  })
  return {
    opened: sockets,
    async idle(count: number, localAddress: string) {
      for (let i = 0; i < count; i++) {
        const socket = connect({ host, port: server.port, localAddress })
        socket.on('error', () => {}).resume()
        sockets.push(socket)
        await once(socket, 'connect')
      }
    },
    async status(path: string, localAddress: string): Promise<number> {
      const asked = request({ host, port: server.port, path, localAddress, agent: false }).end()
      const [response] = await once(asked, 'response')
      response.resume()
      return response.statusCode
    },
  }
}

test('three hundred idle connections of one address leave slots for other addresses', async () => {
  const { idle, status } = await served()
  await idle(300, '127.0.0.2')
  expect([await status('/health/live', '127.0.0.3'), await status('/metrics', '127.0.0.3')]).toEqual([200, 200])
})

test('when every slot is taken, a probe is still served, and any other request is rejected', async () => {
  const { idle, status } = await served()
  for (const last of [2, 3, 4, 5, 6]) await idle(40, `127.0.0.${last}`)
  await waitFor(async () => (await status('/metrics', '127.0.0.9')) === 503, { what: 'every slot to be taken' })
  expect([await status('/health/live', '127.0.0.9'), await status('/health/ready', '127.0.0.9')]).toEqual([200, 200])
})

test('idle connections give up their slots to a probe from any address', async () => {
  const { idle, status } = await served()
  for (let last = 2; last < 60; last++) await idle(8, `127.0.0.${last}`)
  const probes = ['127.0.0.2', '127.0.0.99', '127.0.0.40'].map(address => status('/health/live', address))
  expect(await Promise.all(probes)).toEqual([200, 200, 200])
})

test('a connection that lost its slot still gets a response to its request', async () => {
  const { idle, opened } = await served()
  await idle(32 + 6, '127.0.0.2')
  const late = opened.slice(32)
  const responses = late.map(socket => once(socket, 'data'))
  for (const socket of late) socket.write('GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n')
  for (const [bytes] of await Promise.all(responses)) expect(String(bytes)).toMatch(/^HTTP\/1\.1 503 /)
})
