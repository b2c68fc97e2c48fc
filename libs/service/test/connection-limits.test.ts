import { EventEmitter, once } from 'node:events'
import { Agent, request } from 'node:http'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import {
  closeServer,
  connectionsWithin,
  createClientAddresses,
  createConnectionLimits,
  createHttpServer,
  descriptorLimit,
} from '@svc-server/http/listeners'
import { expect, test, vi } from 'vitest'
import { type ConnectionConfig, connectionsOf, createProcessConnections } from '../src/connections/process-connections.ts'

const waitFor = (condition: () => boolean) => vi.waitFor(() => expect(condition()).toBe(true), { timeout: 60_000 })

const get = '\r\nhost: x\r\n\r\n'

async function served(options: { max: number; perAddress?: number; trusted?: readonly string[] }) {
  const refused: string[] = []
  const limits = createConnectionLimits({
    maxConnections: options.max,
    ...(options.perAddress !== undefined && {
      perAddress: { max: options.perAddress, addresses: createClientAddresses(options.trusted ?? []) },
    }),
    onRefused: limit => refused.push(limit),
  })
  const server: Server = createHttpServer({ handle: (_, response) => void response.end('served'), onDefect: () => {}, connections: limits })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  return {
    limits,
    refused,
    port,
    async open(localAddress = '127.0.0.1') {
      const socket = connect({ port, host: '127.0.0.1', localAddress })
      sockets.push(socket)
      let received = ''
      socket.on('data', chunk => (received += chunk)).on('error', () => {})
      await once(socket, 'connect')
      return { socket, received: () => received, closed: once(socket, 'close') }
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await closeServer(server as never, { graceMs: 0 })
    },
  }
}

test('a connection above the total limit gets 503 with Retry-After and closes, and a freed slot is reused', async () => {
  await using rig = await served({ max: 3 })
  const held = [await rig.open(), await rig.open(), await rig.open()]
  await waitFor(() => rig.limits.open === 3)
  const over = await rig.open()
  over.socket.write(`POST / HTTP/1.1\r\ncontent-length: 5${get}hello`)
  await over.closed
  expect(over.received()).toMatch(/^HTTP\/1\.1 503 .*retry-after: \d.*connection: close/is)
  held[0]!.socket.write(`GET / HTTP/1.1${get}`)
  await waitFor(() => held[0]!.received().includes('served'))
  held[1]!.socket.destroy()
  await waitFor(() => rig.limits.open === 2)
  const next = await rig.open()
  next.socket.write(`GET / HTTP/1.1${get}`)
  await waitFor(() => next.received().includes('served'))
  expect(rig.refused).toEqual(['all'])
})

test('a connection above the limit of its address gets 429, and other addresses are served', async () => {
  await using rig = await served({ max: 100, perAddress: 2 })
  await rig.open()
  await rig.open()
  await waitFor(() => rig.limits.open === 2)
  const over = await rig.open()
  over.socket.write(`GET / HTTP/1.1${get}`)
  await over.closed
  expect(over.received()).toMatch(/^HTTP\/1\.1 429 /)
  const neighbor = await rig.open('127.0.0.2')
  neighbor.socket.write(`GET / HTTP/1.1${get}`)
  await waitFor(() => neighbor.received().includes('served'))
  expect(rig.refused).toEqual(['address'])
})

test('a trusted proxy is exempt from the limit per address, but not from the total limit', async () => {
  await using rig = await served({ max: 4, perAddress: 1, trusted: ['127.0.0.0/8'] })
  for (let i = 0; i < 5; i++) await rig.open()
  await waitFor(() => rig.refused.length > 0)
  expect([rig.limits.open, rig.refused]).toEqual([4, ['all']])
})

test('a rejected HTTP client receives the status instead of a reset', async () => {
  await using rig = await served({ max: 1 })
  await rig.open()
  await waitFor(() => rig.limits.open === 1)
  const agent = new Agent({ keepAlive: true })
  const call = request({ port: rig.port, agent, method: 'POST' })
  call.end('body')
  const [response] = await once(call, 'response')
  expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5'])
  response.resume()
  agent.destroy()
})

test('closes most silent connections above the limit at once', async () => {
  await using rig = await served({ max: 1 })
  const all = await Promise.all(Array.from({ length: 80 }, () => rig.open()))
  // The server keeps up to 32 refused connections open to send their response.
  await waitFor(() => all.filter(({ socket }) => socket.destroyed).length >= 80 - 1 - 32)
})

test('the connection limit leaves descriptors to the stores', () => {
  for (const [descriptors, connections] of [
    [undefined, 640],
    [256, 128],
    [1024, 640],
    [65_536, 49_152],
  ] as const) {
    expect(connectionsWithin(descriptors)).toBe(connections)
  }
  expect(descriptorLimit()).toBeGreaterThan(100)
})

test('services of one process share its limits, and each counts its own connections', () => {
  const config: ConnectionConfig = { trustedProxies: [], maxConnections: 16, maxConnectionsPerAddress: 16 }
  const sockets = Array.from({ length: 20 }, () => Object.assign(new EventEmitter(), { remoteAddress: '192.0.2.1' }) as unknown as Socket)
  const registry = {}
  const refused: string[] = []
  const gateway = connectionsOf(config, { process: registry, onRefused: limit => refused.push(`gateway ${limit}`) })
  const api = connectionsOf(config, { process: registry, onRefused: limit => refused.push(`api ${limit}`) })
  for (const socket of sockets.slice(0, 10)) expect(gateway.admit(socket)).toBe('admitted')
  for (const socket of sockets.slice(10, 16)) expect(api.admit(socket)).toBe('admitted')
  expect([gateway.open, api.open]).toEqual([10, 6])
  expect([gateway.admit(sockets[16]!), api.admit(sockets[17]!)]).toEqual(['all', 'all'])
  expect(refused).toEqual(['gateway all', 'api all'])
  sockets[0]!.emit('close')
  expect([gateway.open, api.open, api.admit(sockets[18]!)]).toEqual([9, 6, 'admitted'])
  expect(connectionsOf(config, { process: {}, onRefused: () => {} }).admit(sockets[19]!)).toBe('admitted')
})

test('the start fails with a message when more connections are configured than descriptors allow', () => {
  expect(() => createProcessConnections({ trustedProxies: [], maxConnections: 2000 }, 1024)).toThrow(/SVC_MAX_CONNECTIONS=2000/)
  expect(() => createProcessConnections({ trustedProxies: [], maxConnections: 600 }, 1024)).not.toThrow()
})
