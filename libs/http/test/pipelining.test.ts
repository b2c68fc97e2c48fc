import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createClientAddresses, createHttpServer } from '../src/listeners/index.ts'

type Work = (path: string, body: string) => Promise<string>

async function serve(
  work: Work,
  trusted: readonly string[] = [],
): Promise<{ readonly port: number; open(): Socket; connections(): Promise<number> }> {
  const defects: unknown[] = []
  const server = createHttpServer({
    async handle(request, response) {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      response.end(await work(request.url ?? '', body))
    },
    onDefect: error => void defects.push(error),
    addresses: createClientAddresses(trusted),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
    expect(defects).toEqual([])
  })
  const connections = () =>
    new Promise<number>((done, failed) => server.getConnections((error, count) => (error ? failed(error) : done(count))))
  return { port, open: () => connect(port, '127.0.0.1'), connections }
}

const get = (path: string | number) => `GET /${path} HTTP/1.1\r\nhost: a\r\n\r\n`
const post = (path: string | number, body: string) =>
  `POST /${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

async function read(socket: Socket, until: (text: string) => boolean): Promise<string> {
  let text = ''
  for await (const chunk of socket) {
    text += String(chunk)
    if (until(text)) break
  }
  return text
}

test('processes pipelined requests one at a time, and responds in order', async () => {
  let [atWork, most] = [0, 0]
  const { open } = await serve(async path => {
    most = Math.max(most, ++atWork)
    await turn()
    atWork--
    return `<${path}>`
  })
  const socket = open()
  const count = 200
  for (let index = 0; index < count; index++) socket.write(get(index))
  const text = await read(socket, so => so.includes(`</${count - 1}>`))
  expect([...text.matchAll(/<\/(\d+)>/g)].map(([, index]) => Number(index))).toEqual(Array.from({ length: count }, (_, index) => index))
  expect(most).toBe(1)
})

test('reads each pipelined body completely, also one that arrives in pieces', async () => {
  const { open } = await serve(async (path, body) => `<${path} ${body.length}>`)
  const socket = open()
  const large = 'x'.repeat(3_000_000)
  const last = post('c', large)
  socket.write(post('a', 'aa') + post('b', large) + get('g') + last.slice(0, 100_000))
  await turn()
  socket.write(last.slice(100_000))
  const text = await read(socket, so => so.includes('</c '))
  expect([...text.matchAll(/<\/(\w \d+)>/g)].map(([, what]) => what)).toEqual(['a 2', 'b 3000000', 'g 0', 'c 3000000'])
})

test('drops waiting requests of a closed connection, and serves other connections meanwhile', async () => {
  const held = Promise.withResolvers<void>()
  const begun: string[] = []
  const { port, open, connections } = await serve(async path => {
    begun.push(path)
    await (path === '/first' ? held.promise : turn())
    return 'done'
  })
  const socket = open()
  const waiting = 200
  socket.write(get('first') + Array.from({ length: waiting }, (_, index) => get(index)).join(''))
  await expect.poll(() => begun).toEqual(['/first'])
  const neighbor = httpRequest({ port, path: '/neighbor', agent: false })
  neighbor.end()
  const [response] = await once(neighbor, 'response')
  expect(response.statusCode).toBe(200)
  response.resume()
  const closed = once(socket, 'close')
  socket.destroy()
  await closed
  held.resolve()
  // Only when the server sends a response, it notices that the client has disconnected, so the connection is closed only now.
  await expect.poll(connections).toBe(0)
  expect(begun.slice(0, 2)).toEqual(['/first', '/neighbor'])
  expect(begun.length).toBeLessThan(waiting)
})

test('serves other connections between two requests of one connection', async () => {
  const { port, open } = await serve(async path => `<${path}>`)
  const socket = open()
  const count = 200
  socket.write(Array.from({ length: count }, (_, index) => get(index)).join(''))
  const [first] = await once(socket, 'data')
  const neighbor = httpRequest({ port, path: '/neighbor', agent: false })
  neighbor.end()
  const rest = read(socket, so => so.includes(`</${count - 1}>`))
  const [response] = await once(neighbor, 'response')
  response.resume()
  expect(String(first)).not.toContain(`</${count - 1}>`)
  expect(await rest).toContain(`</${count - 1}>`)
})

test('closes a connection that pipelines hundreds of requests, and bans its address for a while', async () => {
  const held = Promise.withResolvers<void>()
  const { port, open, connections } = await serve(async () => {
    await held.promise
    return 'done'
  })
  const patient = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.3' })
  patient.write(get('patient'))
  const socket = open()
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  socket.write(Array.from({ length: 1_000 }, (_, index) => get(index)).join(''))
  await closed
  await expect.poll(connections).toBe(1)
  const again = Array.from({ length: 10 }, () => open().on('error', () => {}))
  await Promise.race(again.map(each => once(each, 'close')))
  held.resolve()
  expect(await read(patient, so => so.includes('done'))).toContain('200 OK')
})

test('another client behind a banned address still gets in, but may pipeline fewer requests', async () => {
  const { open, connections } = await serve(async () => 'done')
  const flood = (count: number) => {
    const socket = open()
    socket.on('error', () => {})
    const closed = once(socket, 'close')
    socket.write(Array.from({ length: count }, (_, index) => get(index)).join(''))
    return closed
  }
  const bystander = open()
  const bystanderLeft = once(bystander, 'close')
  await flood(1_000)
  await bystanderLeft
  const other = open()
  other.write(get('other'))
  expect(await read(other, so => so.includes('done'))).toContain('200 OK')
  await flood(50)
  await expect.poll(connections).toBe(0)
})

test('behind a trusted proxy, bans only the client that pipelines hundreds of requests, not the proxy or other clients', async () => {
  const held = Promise.withResolvers<void>()
  const { open } = await serve(
    async path => {
      if (path === '/0') await held.promise
      return 'done'
    },
    ['127.0.0.0/8'],
  )
  const of = (client: string, path: number) => `GET /${path} HTTP/1.1\r\nhost: a\r\nx-forwarded-for: ${client}\r\n\r\n`
  const socket = open()
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  socket.write(Array.from({ length: 1_000 }, (_, index) => of('198.51.100.7', index)).join(''))
  await closed
  held.resolve()
  const statusOf = async (client: string) => {
    const proxied = open()
    proxied.write(of(client, 1))
    return (await read(proxied, so => so.includes('\r\n\r\n'))).split('\r\n', 1)[0]
  }
  expect([await statusOf('198.51.100.7'), await statusOf('198.51.100.8')]).toEqual(['HTTP/1.1 429 Too Many Requests', 'HTTP/1.1 200 OK'])
})
