// HTTP/2 connections of clients that have shown no key: refused again and again, or never taking an answer.
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

/** Refuses what asks for /refused, and answers everything else. */
const handle: StreamHandler = (stream, headers) => {
  const isRefusal = headers[':path'] === '/refused'
  noteAnswered(stream, isRefusal)
  if (isRefusal) return stream.respond({ ':status': 401 }, { endStream: true })
  stream.respond({ ':status': 200 })
  stream.end('an answer')
}

async function served() {
  const connections = createConnectionLimits({ maxConnections: 100 })
  const server = createStreamServer({ handle, onDefect: () => {}, connections, idleMs: 60_000, firstStreamMs: 60_000, answerMs: 100 })
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

/** A field of 3,000 bytes is kept once (RFC 7541 §6.2.1) and then named by a byte each time: a block of 8,000 bytes is one of 24 MB. */
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

test('header blocks that expand to megabytes, one after the other, end their connection, and their address waits', async () => {
  const { port, session } = await served()
  const hostile = await expanding(port, '127.0.0.2', 400)
  await once(hostile, 'close')
  const again = connect({ host, port, localAddress: '127.0.0.2' })
  again.on('error', () => {}).resume()
  await once(again, 'close')
  expect(await isServed(session('127.0.0.3'))).toBe(true)
})

test('a client that is refused hundreds of times in a row is shown out and waits; one that is served in between stays', async () => {
  const { session, port } = await served()
  const [refused, mixed] = [session('127.0.0.2'), session('127.0.0.3')]
  const goneAway = once(refused, 'close')
  for (let i = 0; i < 300; i++) {
    await status(mixed, i % 50 === 0 ? '/' : '/refused')
    if (!refused.closed) await status(refused, '/refused')
  }
  await goneAway
  expect(await isServed(mixed)).toBe(true)
  const again = connect({ host, port, localAddress: '127.0.0.2' })
  again.on('error', () => {}).resume()
  await once(again, 'close')
})

test('an answer that its client never takes is cut, and the connection serves on', async () => {
  const { session } = await served()
  const closing = session(host, { initialWindowSize: 0 })
  const stream = closing.request({ ':path': '/' })
  stream.on('error', () => {})
  await once(stream, 'close')
  expect(stream.rstCode).toBe(8)
  expect(await status(closing, '/refused')).toBe(401)
})
