import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createTcpProxy } from './tcp-proxy.ts'
import { waitFor } from './wait-for.ts'

async function echoBehindProxy() {
  const received: string[] = []
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.on('data', chunk => {
      received.push(chunk.toString())
      socket.write(chunk)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy = await createTcpProxy({ target: (server.address() as AddressInfo).port })
  onTestFinished(async () => {
    await proxy.close()
    server.close()
  })
  return { proxy, received }
}

function client(port: number) {
  const answers: string[] = []
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.on('data', chunk => answers.push(chunk.toString()))
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  return { socket, answers }
}

test('bytes pass in both directions, even with latency', async () => {
  const { proxy } = await echoBehindProxy()
  const { socket, answers } = client(proxy.port)
  socket.write('a')
  await waitFor(() => answers.join('') === 'a', { what: 'the echo' })
  proxy.latency(40)
  const before = performance.now()
  socket.write('b')
  await waitFor(() => answers.join('') === 'ab', { what: 'the late echo' })
  expect(performance.now() - before).toBeGreaterThanOrEqual(80)
})

test('dropDown forwards requests and swallows responses until the connection ends', async () => {
  const { proxy, received } = await echoBehindProxy()
  const { socket, answers } = client(proxy.port)
  proxy.dropDown()
  socket.write('lost')
  await waitFor(() => received.includes('lost') && proxy.swallowed > 0, { what: 'the request, and its answer at the proxy' })
  await proxy.pass()
  socket.write('after')
  await waitFor(() => received.includes('after'), { what: 'the second request' })
  const other = client(proxy.port)
  other.socket.write('new')
  await waitFor(() => other.answers.includes('new'), { what: 'a new connection’s answer' })
  expect(answers).toEqual([])
})

test('blackhole holds bytes back until pass', async () => {
  const { proxy, received } = await echoBehindProxy()
  const { socket, answers } = client(proxy.port)
  await waitFor(() => proxy.connections === 1, { what: 'the connection' })
  proxy.blackhole()
  socket.write('held')
  const other = client(proxy.port)
  other.socket.write('held too')
  await waitFor(() => proxy.connections === 2, { what: 'the second connection' })
  expect(received).toEqual([])
  await proxy.pass()
  await waitFor(() => answers.includes('held') && other.answers.includes('held too'), { what: 'what was held' })
})

test('refuse, resetAll and down close connections; pass opens the same port again', async () => {
  const { proxy } = await echoBehindProxy()
  const first = client(proxy.port)
  await waitFor(() => proxy.connections === 1, { what: 'the connection' })
  proxy.refuse()
  const refused = client(proxy.port)
  await waitFor(() => refused.socket.destroyed, { what: 'the refusal' })
  first.socket.write('still here')
  await waitFor(() => first.answers.length === 1, { what: 'the open connection’s answer' })
  proxy.resetAll()
  await waitFor(() => first.socket.destroyed, { what: 'the reset' })
  await proxy.down()
  const nobody = client(proxy.port)
  const [error] = (await once(nobody.socket, 'error')) as [NodeJS.ErrnoException]
  expect(error.code).toBe('ECONNREFUSED')
  await proxy.pass()
  const again = client(proxy.port)
  again.socket.write('back')
  await waitFor(() => again.answers.includes('back'), { what: 'the answer after the fault' })
})
