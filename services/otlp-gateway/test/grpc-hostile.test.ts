import { once } from 'node:events'
import type { ClientHttp2Session } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc-server/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGateway, type TestGateway } from './gateway.ts'
import { call, exportHeaders, framed, openSession } from './grpc-client.ts'
import { requestOf, span } from './requests.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway({ config: { bodyTimeoutMs: 4_000 }, streams: { idleMs: 400, firstStreamMs: 400 } })
})
afterAll(() => gateway[Symbol.asyncDispose]())

const bytes = () => framed(requestOf(span()))

async function serves(): Promise<void> {
  const session = openSession(gateway.grpcPort)
  expect(await call(session, { bytes: bytes() })).toMatchObject({ http: 200, status: 0 })
  session.destroy()
  expect(gateway.bugs).toEqual([])
}

async function bare(): Promise<{ readonly socket: Socket; readonly closed: Promise<unknown> }> {
  const socket = connect(gateway.grpcPort, '127.0.0.1')
  socket.on('error', () => {}).resume()
  const closed = new Promise(resolve => socket.once('close', resolve))
  await once(socket, 'connect')
  return { socket, closed }
}

const preface = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])])
const ping = Buffer.from([0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8])

test('a connection without calls is closed, whatever other frames arrive', async () => {
  const silent = await bare()
  const lively = await bare()
  lively.socket.write(preface)
  const timer = setInterval(() => lively.socket.write(ping), 50)
  await Promise.all([silent.closed, lively.closed])
  clearInterval(timer)
  await serves()
})

test('an idle connection gets GOAWAY; a connection with a running call stays open', async () => {
  const idle = openSession(gateway.grpcPort)
  const busy = openSession(gateway.grpcPort)
  const goneAway = new Set<string>()
  idle.on('goaway', () => goneAway.add('idle'))
  busy.on('goaway', () => goneAway.add('busy'))
  await call(idle, { bytes: bytes() })
  const running = busy.request(exportHeaders)
  running.on('error', () => {}).resume()
  const all = bytes()
  running.write(all.subarray(0, 10))
  await waitFor(() => goneAway.has('idle'), { what: 'the idle connection to be told' })
  await sleep(400)
  let status: unknown
  running.on('trailers', trailers => (status = trailers['grpc-status']))
  running.end(all.subarray(10))
  await once(running, 'close')
  expect([status, [...goneAway]]).toEqual(['0', ['idle']])
  busy.destroy()
})

test('a body that does not arrive is refused in time, and other calls on the connection succeed', async () => {
  const session = openSession(gateway.grpcPort)
  const slow = call(session, { bytes: Buffer.from([0, 0, 0, 1, 0, 1, 2, 3]), unended: true })
  expect(await call(session, { bytes: bytes() })).toMatchObject({ status: 0 })
  expect(await slow).toMatchObject({ http: 200, status: 3 })
  expect(await call(session, { bytes: bytes() })).toMatchObject({ status: 0 })
  session.destroy()
})

test.each([
  ['is too long', 100_000, 8],
  ['does not end', 10, 3],
])('a call without a key whose body %s is refused', async (_, bytes, status) => {
  const session = openSession(gateway.grpcPort)
  const headers = { authorization: null }
  const answer = await call(session, { path: '/grpc.health.v1.Health/Check', bytes: Buffer.alloc(bytes), headers, unended: true })
  expect(answer).toMatchObject({ http: 200, status, code: 0 })
  session.destroy()
})

test('400 concurrent calls on one connection all succeed, a hundred at a time', async () => {
  const session = openSession(gateway.grpcPort)
  const answers = await Promise.all(Array.from({ length: 400 }, () => call(session, { bytes: bytes() })))
  expect(answers.every(({ status }) => status === 0)).toBe(true)
  session.destroy()
})

test('a client that opens and resets thousands of streams loses its connection', async () => {
  // The gateway limits and bans connections by address. This client therefore uses a different address than the client of `serves`.
  const session: ClientHttp2Session = openSession(gateway.grpcPort, '127.0.0.2')
  await once(session, 'connect')
  for (let i = 0; i < 5_000 && !session.destroyed && !session.closed; i++) {
    const stream = session.request(exportHeaders)
    stream.on('error', () => {})
    stream.close(8)
    if (i % 50 === 0) await new Promise(resolve => setImmediate(resolve))
  }
  await serves()
  session.destroy()
  await waitFor(async () => (await gateway.metric('svc_gateway_inflight_requests')) === 0, { what: 'no request to be left' })
})

test('oversized headers are refused, and other clients are still served', async () => {
  const session = openSession(gateway.grpcPort)
  const answer = await call(session, { bytes: bytes(), headers: { 'x-large': 'a'.repeat(200_000) } })
  expect(answer.status).not.toBe(0)
  session.destroy()
  await serves()
})

test('random bytes, with or without a valid preface, do not affect other clients', async () => {
  const frames = fc
    .tuple(fc.nat({ max: 12 }), fc.nat({ max: 255 }), fc.nat({ max: 7 }), fc.uint8Array({ maxLength: 40 }))
    .map(([type, flags, id, payload]) => Buffer.concat([Buffer.from([0, 0, payload.length, type, flags, 0, 0, 0, id]), payload]))
  const hostile = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 300 }).map(all => Buffer.from(all)),
    fc.array(frames, { minLength: 1, maxLength: 12 }).map(all => Buffer.concat([preface, ...all])),
    fc.constant(Buffer.from('POST /v1/traces HTTP/1.1\r\nhost: x\r\n\r\n')),
  )
  await fc.assert(
    fc.asyncProperty(hostile, async sent => {
      const { socket } = await bare()
      socket.end(sent)
    }),
    { numRuns: 300 },
  )
  // The gateway refuses some connections from an address that has sent invalid requests, so the first calls can fail.
  await waitFor(
    () =>
      serves().then(
        () => true,
        () => false,
      ),
    { what: 'another client of this address to be served', timeoutMs: 20_000 },
  )
  expect(gateway.bugs).toEqual([])
})

test('drain finishes running calls and refuses new ones with UNAVAILABLE', async () => {
  const draining = await startGateway()
  const session = openSession(draining.grpcPort)
  const all = bytes()
  const running = session.request(exportHeaders)
  running.write(all.subarray(0, 20))
  let status: unknown
  running.on('trailers', trailers => (status = trailers['grpc-status'])).resume()
  await waitFor(async () => (await draining.metric('svc_gateway_inflight_requests')) === 1, { what: 'the call to have begun' })
  const closed = once(running, 'close')
  const drained = draining.gateway.drain()
  expect(await call(session, { bytes: all })).toMatchObject({ http: 200, status: 14 })
  running.end(all.subarray(20))
  await drained
  await closed
  expect(status).toBe('0')
  session.destroy()
  await draining[Symbol.asyncDispose]()
})
