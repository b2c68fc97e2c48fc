import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { send } from '../src/bodies/index.ts'
import { createHttpServer } from '../src/listeners/index.ts'

type Handle = Parameters<typeof createHttpServer>[0]['handle']

async function serve(handle: Handle) {
  const server = createHttpServer({ handle, onDefect: () => {} })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (localAddress: string): Socket => {
    const socket = connect({ host: '127.0.0.1', port, localAddress })
    socket.on('error', () => {})
    return socket
  }
}

const head = 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n'

const closed = (socket: Socket) => new Promise(resolve => socket.resume().once('close', resolve))

async function pour(socket: Socket, chunk: string): Promise<void> {
  socket.write(head)
  const more = () => {
    while (!socket.destroyed && socket.write(chunk.repeat(1_000)));
  }
  socket.on('drain', more)
  more()
  await closed(socket)
}

const untilEnd = (request: IncomingMessage) =>
  new Promise(resolve =>
    request
      .on('error', () => {})
      .resume()
      .once('close', resolve),
  )

test.each<[string, Handle]>([
  ['read', (request, response) => void untilEnd(request).then(() => response.end())],
  ['not read', () => {}],
  [
    'rejected',
    (request, response) =>
      send(request, response, { status: 401, headers: {}, body: '' }, { close: false, linger: { maxBytes: 1e9, timeoutMs: 1e9 } }),
  ],
])('an endless body of one-byte chunks that is %s ends its connection and bans its client', async (_, handle) => {
  const open = await serve((request, response) => (request.method === 'GET' ? void response.end('served') : handle(request, response)))
  await pour(open('127.0.0.2'), '1\r\nx\r\n')
  await Promise.race(Array.from({ length: 10 }, () => closed(open('127.0.0.2'))))
  const other = open('127.0.0.3')
  other.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
  const [answer] = await once(other, 'data')
  expect(String(answer)).toContain('served')
})

test('the parser passes on no piece that it had read before the end of the connection', async () => {
  let pieces = 0
  const open = await serve(request => {
    const push = request.push.bind(request)
    request.push = (...given: Parameters<typeof push>) => {
      pieces++
      return push(...given)
    }
    request.resume()
  })
  const socket = open('127.0.0.2')
  socket.write(head + '1\r\nx\r\n'.repeat(20_000))
  await closed(socket)
  expect(pieces).toBeLessThan(8_200)
  expect(pieces).toBeGreaterThan(8_000)
})

test('a parser that skipped a body reads the bodies of later connections', async () => {
  const open = await serve(async (request, response) => {
    if (request.headers['content-length'] === undefined) return
    let body = ''
    for await (const piece of request) body += piece
    response.end(`read ${body}`)
  })
  await pour(open('127.0.0.2'), '1\r\nx\r\n')
  for (let count = 0; count < 20; count++) {
    const socket = open('127.0.0.3')
    socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello')
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toContain('read hello')
    await closed(socket)
  }
})

test('many addresses share one allowance of tiny pieces', async () => {
  let pieces = 0
  const open = await serve(request => {
    const push = request.push.bind(request)
    request.push = (...given: Parameters<typeof push>) => {
      pieces++
      return push(...given)
    }
    request.resume()
  })
  const startMs = performance.now()
  await Promise.all(Array.from({ length: 50 }, (_, at) => pour(open(`127.0.1.${at + 1}`), '1\r\nx\r\n')))
  const seconds = 1 + (performance.now() - startMs) / 1_000
  // The 50 clients share one limit. If each client had its own limit, 50 bodies of 8,192 pieces could arrive (409,600 pieces).
  expect(pieces).toBeLessThan(seconds * 16_384 + 50 * 70)
})

test('an endless body ends its connection when its request gets a response unread', async () => {
  const open = await serve((_, response) => void response.end('answered'))
  await pour(open('127.0.0.2'), '1\r\nx\r\n')
})

test('accepts a body in chunks of twenty bytes', async () => {
  const open = await serve(async (request, response) => {
    await untilEnd(request)
    response.end('taken')
  })
  const socket = open('127.0.0.2')
  socket.write(`${head}${`14\r\n${'x'.repeat(20)}\r\n`.repeat(20_000)}0\r\n\r\n`)
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toContain('taken')
})
