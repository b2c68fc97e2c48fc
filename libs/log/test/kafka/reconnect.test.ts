// A connection of kafkajs can break at any step and must work after a reconnect. The connection must not receive bytes of the former
// socket. Every waiting caller must get a result. The test's server behaves like a broken broker.
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'

const require = createRequire(import.meta.url)

interface Request {
  readonly request: { readonly apiKey: number; readonly apiVersion: number; readonly apiName: string; encode(): Promise<object> }
  readonly response: { decode(data: Buffer): Promise<unknown>; parse(value: unknown): Promise<unknown> }
}
interface Connection {
  connect(): Promise<boolean>
  disconnect(): Promise<boolean>
  isConnected(): boolean
  authenticate(): Promise<void>
  send(request: Request): Promise<unknown>
  sendAuthRequest(request: Request): Promise<unknown>
}
const Connection = require('kafkajs/src/network/connection') as new (options: object) => Connection
const Encoder = require('kafkajs/src/protocol/encoder') as new () => {
  writeString(text: string): object
  writeBytes(bytes: Buffer): object
}

const requestTimeoutMs = 200

const saying = (text: string): Request => ({
  request: { apiKey: 99, apiVersion: 0, apiName: 'Say', encode: async () => new Encoder().writeString(text) },
  response: { decode: async data => data.toString(), parse: async value => value },
})

/** Returns a response that echoes the request: the size of the response, the request's number, and the request's body. */
function answerTo(request: Buffer): Buffer {
  const clientIdLength = request.readInt16BE(12)
  const body = request.subarray(14 + clientIdLength + 2)
  const frame = Buffer.alloc(8)
  frame.writeInt32BE(4 + body.length)
  request.copy(frame, 4, 8, 12)
  return Buffer.concat([frame, body])
}

type Serve = (answer: Buffer, socket: Socket, connection: number) => void

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

async function connectionTo(serve: Serve): Promise<Connection> {
  let connections = 0
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, socket => {
    const connection = ++connections
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', data => serve(answerTo(data), socket, connection))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  closers.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const silent = { namespace: () => silent, debug() {}, info() {}, warn() {}, error() {} }
  return new Connection({
    host: '127.0.0.1',
    port,
    logger: silent,
    clientId: 'c',
    requestTimeout: requestTimeoutMs,
    connectionTimeout: 1000,
    socketFactory: ({ onConnect }: { onConnect: () => void }) => connect({ host: '127.0.0.1', port }, onConnect),
  })
}

const whole = answerTo(Buffer.concat([Buffer.alloc(12), Buffer.from([0, 1, 99, 0, 3]), Buffer.from('one')]))
const endings = {
  reset: (socket: Socket) => socket.resetAndDestroy(),
  ended: (socket: Socket) => socket.end(),
}
const cuts = Array.from({ length: whole.length }, (_, cut) => cut)

test.each(Object.keys(endings) as (keyof typeof endings)[])(
  'a response that is %s after any of its bytes leaves no bytes for the next connection',
  async ending => {
    for (const cut of cuts) {
      const connection = await connectionTo((answer, socket, number) => {
        if (number > 1) return void socket.write(answer)
        socket.write(answer.subarray(0, cut), () => endings[ending](socket))
      })
      await connection.connect()
      await expect(connection.send(saying('one'))).rejects.toThrow()
      await connection.connect()
      expect([cut, await connection.send(saying('two'))]).toEqual([cut, 'two'])
    }
  },
)

test('late data or the late end of an abandoned socket does not reach the next connection', async () => {
  const late: (() => void)[] = []
  const connection = await connectionTo((answer, socket, number) => {
    if (number > 1) return void late.push(() => socket.write(answer))
    late.push(
      () => socket.write(answer),
      () => socket.end(answer),
    )
  })
  await connection.connect()
  await expect(connection.send(saying('one'))).rejects.toThrow('timed out')
  await connection.disconnect()
  await connection.connect()
  const second = connection.send(saying('two'))
  for (let spoken = 0; spoken < 3; spoken++) {
    await expect.poll(() => late.length).toBeGreaterThan(0)
    late.shift()!()
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  expect(await second).toBe('two')
  expect(connection.isConnected()).toBe(true)
})

test('after a request has timed out, no more of its bytes are sent, so that the caller can reuse its buffers', async () => {
  const stuck: Socket[] = []
  const connection = await connectionTo((_, socket) => {
    socket.pause()
    stuck.push(socket)
  })
  await connection.connect()
  const bytes = Buffer.alloc(64 * 1024 * 1024, 'a')
  const request = { ...saying(''), request: { ...saying('').request, encode: async () => new Encoder().writeBytes(bytes) } }
  await expect(connection.send(request)).rejects.toThrow('timed out')
  bytes.fill('b')
  const [socket] = stuck
  let others = 0
  socket!.removeAllListeners('data').on('data', (data: Buffer) => (others += data.includes('b') ? 1 : 0))
  const ended = Promise.race([once(socket!, 'end'), once(socket!, 'close')])
  socket!.resume()
  await ended
  expect(others).toBe(0)
  expect(connection.isConnected()).toBe(false)
})

test('a request in flight is rejected when its connection is closed, and the connection can be opened again', async () => {
  const connection = await connectionTo((answer, socket, number) => void (number > 1 && socket.write(answer)))
  await connection.connect()
  const first = expect(connection.send(saying('one'))).rejects.toThrow('timed out')
  await expect.poll(() => connection.isConnected()).toBe(true)
  await new Promise(resolve => setTimeout(resolve, 10))
  await connection.disconnect()
  await first
  await connection.connect()
  expect(await connection.send(saying('two'))).toBe('two')
})

test('a server that never responds to an authentication is given up', async () => {
  const connection = await connectionTo(() => {})
  await connection.connect()
  const { request, response } = saying('me')
  const asking = connection.sendAuthRequest({ request: { ...request, encode: async () => Buffer.alloc(32) }, response })
  await expect(asking).rejects.toThrow('closed by the server')
})

test('an invalid response breaks the connection and not the process', async () => {
  for (const size of [-1, 0, 3]) {
    const frame = Buffer.alloc(8)
    frame.writeInt32BE(size)
    const connection = await connectionTo((answer, socket, number) => void socket.write(number > 1 ? answer : frame))
    await connection.connect()
    await expect(connection.send(saying('one'))).rejects.toThrow()
    await connection.disconnect()
    await connection.connect()
    expect(await connection.send(saying('two'))).toBe('two')
  }
})
