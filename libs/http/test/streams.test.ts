import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import {
  closeServer,
  createConnectionLimits,
  createStreamServer,
  listen,
  noteAnswered,
  type StreamHandler,
} from '../src/listeners/index.ts'

const host = '127.0.0.1'

const handle: StreamHandler = (stream, headers) => {
  const isRefusal = headers[':path'] === '/refused'
  noteAnswered(stream, isRefusal)
  if (isRefusal) return stream.respond({ ':status': 401 }, { endStream: true })
  stream.respond({ ':status': 200 })
  stream.end('an answer')
}

async function served(handler = handle) {
  const connections = createConnectionLimits({ maxConnections: 100 })
  const server = createStreamServer({
    handle: handler,
    onDefect: () => {},
    connections,
    idleMs: 60_000,
    firstStreamMs: 60_000,
    answerMs: 100,
  })
  const { port } = await listen(server, { host, port: 0, variable: 'SVC_OTLP_GRPC_PORT' })
  onTestFinished(() => closeServer(server, { graceMs: 0 }))
  return {
    port,
    session(localAddress = host, settings = {}): ClientHttp2Session {
      const session = connectHttp2(`http://${host}:${port}`, { settings, createConnection: () => connect({ host, port, localAddress }) })
      session.on('error', () => {})
      onTestFinished(() => session.destroy())
      return session
    },
  }
}

async function status(session: ClientHttp2Session, path: string): Promise<unknown> {
  const stream = session.request({ ':path': path })
  stream.on('error', () => {}).resume()
  const answered = new Promise(resolve => stream.once('response', headers => resolve(headers[':status'])))
  const closed = once(stream, 'close').then(() => 'closed')
  return Promise.race([answered, closed])
}

const isServed = async (session: ClientHttp2Session): Promise<boolean> => (await status(session, '/')) === 200

function frame(type: number, flags: number, id: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(id, 5)
  return Buffer.concat([head, payload])
}

/**
 * The compression table keeps a field of 3,000 bytes (RFC 7541 §6.2.1). A header block ends with 8,000 bytes, and each of these bytes
 * stands for this field. The block thus expands to 24 MB.
 */
const keptField = Buffer.concat([Buffer.from([0x40, 1, 0x78, 0x7f, 0xb9, 0x16]), Buffer.alloc(3_000, 'a')])
const pseudoHeaders = Buffer.from([0x83, 0x86, 0x84, 0x41, 1, 0x68])
const block = (isFirst: boolean) => Buffer.concat([pseudoHeaders, isFirst ? keptField : Buffer.alloc(0), Buffer.alloc(8_000, 0xbe)])

async function expanding(port: number, localAddress: string, blocks: number): Promise<Socket> {
  const socket = connect({ host, port, localAddress })
  socket.on('error', () => {}).resume()
  await once(socket, 'connect')
  socket.write(
    Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0, Buffer.alloc(0)), frame(4, 1, 0, Buffer.alloc(0))]),
  )
  for (let at = 0; at < blocks; at++) socket.write(frame(1, 5, 2 * at + 1, block(at === 0)))
  return socket
}

/** Opens connections from a banned address, and resolves when the server closes one of these connections. */
async function waits(port: number, localAddress: string): Promise<void> {
  const sockets = Array.from({ length: 10 }, () => connect({ host, port, localAddress }))
  const closed = sockets.map(
    socket =>
      new Promise(resolve =>
        socket
          .on('error', () => {})
          .resume()
          .once('close', resolve),
      ),
  )
  await Promise.race(closed)
  for (const socket of sockets) socket.destroy()
}

test.each<[string, Buffer]>([
  ['window updates', frame(8, 0, 0, Buffer.from([0, 0, 0, 1]))],
  ['of a body, a byte each', frame(0, 0, 1, Buffer.from('x'))],
])('closes a connection that sends frames without requests (%s), and bans its address', async (_, each) => {
  const { port } = await served()
  const socket = connect({ host, port, localAddress: '127.0.0.2' })
  socket.on('error', () => {}).resume()
  const closed = new Promise(resolve => socket.once('close', resolve))
  socket.write(
    Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0, Buffer.alloc(0)), frame(4, 1, 0, Buffer.alloc(0))]),
  )
  socket.write(frame(1, 4, 1, Buffer.concat([pseudoHeaders])))
  const many = Buffer.concat(Array.from({ length: 1_000 }, () => each))
  const more = () => {
    while (!socket.destroyed && socket.write(many));
  }
  socket.on('drain', more)
  more()
  await closed
  await waits(port, '127.0.0.2')
})

test('closes a connection that leaves many responses unread, and bans its address', async () => {
  const { port, session } = await served()
  const closing = session('127.0.0.2', { initialWindowSize: 0 })
  const closed = once(closing, 'close')
  for (let i = 0; i < 50; i++) closing.request({ ':path': '/' }).on('error', () => {})
  await closed
  await waits(port, '127.0.0.2')
})

test('requests of different connections take turns to begin', async () => {
  const begun: string[] = []
  const { session } = await served((stream, headers) => {
    const path = String(headers[':path'])
    begun.push(path)
    for (const until = performance.now() + 10; performance.now() < until; );
    stream.respond({ ':status': 200 }, { endStream: true })
  })
  const [greedy, other] = [session('127.0.0.2'), session('127.0.0.3')]
  await Promise.all([once(greedy, 'remoteSettings'), once(other, 'remoteSettings')])
  const all = Array.from({ length: 50 }, () => status(greedy, '/greedy'))
  await all[0]
  expect(await status(other, '/other')).toBe(200)
  expect(begun.lastIndexOf('/greedy')).toBeLessThan(49)
  await Promise.all(all)
})

test('repeated header blocks that expand to megabytes close their connection and ban its address', async () => {
  const { port, session } = await served()
  const hostile = await expanding(port, '127.0.0.2', 400)
  await once(hostile, 'close')
  await waits(port, '127.0.0.2')
  expect(await isServed(session('127.0.0.3'))).toBe(true)
})

test('closes the connection of a client after hundreds of consecutive rejections and bans it, but not a client with accepted requests in between', async () => {
  const { session, port } = await served()
  const [refused, mixed] = [session('127.0.0.2'), session('127.0.0.3')]
  const goneAway = once(refused, 'close')
  for (let i = 0; i < 300; i++) {
    await status(mixed, i % 50 === 0 ? '/' : '/refused')
    if (!refused.closed) await status(refused, '/refused')
  }
  await goneAway
  expect(await isServed(mixed)).toBe(true)
  await waits(port, '127.0.0.2')
})

test('at a banned address, a client with a key is served on its own connection, and one without a key is rejected once and disconnected', async () => {
  const { session } = await served()
  const refused = session('127.0.0.2')
  const goneAway = once(refused, 'close')
  while (!refused.closed) await status(refused, '/refused')
  await goneAway
  const keyed = session('127.0.0.2')
  for (let i = 0; i < 100; i++) expect(await isServed(keyed)).toBe(true)
  const still = session('127.0.0.2')
  const stillGone = once(still, 'close')
  expect(await status(still, '/refused')).toBe(401)
  await stillGone
  expect(await isServed(keyed)).toBe(true)
})

test('aborts a response that its client never reads, and the connection stays usable', async () => {
  const { session } = await served()
  const closing = session(host, { initialWindowSize: 0 })
  const stream = closing.request({ ':path': '/' })
  stream.on('error', () => {})
  await once(stream, 'close')
  expect(stream.rstCode).toBe(8)
  expect(await status(closing, '/refused')).toBe(401)
})
