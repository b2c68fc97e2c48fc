// Tests the parts of TLS that need no service: handshake limits, the watch of the key pair's files, and clients with the wrong protocol.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { closeServer, createHandshakeShares, listen, type PortServer } from '@svc-server/http/listeners'
import { makeCertificate, type TemporaryDirectory, temporaryDirectory, waitFor } from '@svc-server/testkit'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type ClientListenerConfig, createClientListener } from '../src/connections/client-listener.ts'
import { tlsProblems } from '../src/connections/index.ts'
import { createLogger } from '../src/logs/index.ts'
import { createMetricRegistry } from '../src/metrics/index.ts'
import { watchKeyPair } from '../src/tls/key-pair-watch.ts'

const host = '127.0.0.1'
const config: ClientListenerConfig = {
  ...{ bodyTimeoutMs: 1_000, trustedProxies: [], maxConnections: 64 },
  ...{ tlsMinVersion: 'TLSv1.2', tlsReloadMs: 50, tlsHandshakeTimeoutMs: 60_000, tlsHandshakesPerSecond: 100 },
}
let directory: TemporaryDirectory
const cleanups: (() => Promise<void>)[] = []
beforeAll(async () => {
  directory = await temporaryDirectory('svc-tls-')
})
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})
afterAll(() => directory.remove())

function listenerOf(settings: Partial<ClientListenerConfig> = {}) {
  const lines: string[] = []
  const destination = new Writable({
    write(line, _, done) {
      lines.push(String(line))
      done()
    },
  })
  const logger = createLogger({ service: 'test', level: 'info', destination })
  const metrics = createMetricRegistry({ runtime: false })
  const front = createClientListener({ name: 'test', config: { ...config, ...settings }, tools: { metrics, logger } })
  const open = async (server: PortServer) => {
    cleanups.push(() => closeServer(server, { graceMs: 0 }))
    return (await listen(server, { host, port: 0, variable: 'X' })).port
  }
  return { front, metrics, lines, open }
}

const files = (name: string) => ({ certFile: join(directory.path, `${name}.crt`), keyFile: join(directory.path, `${name}.key`) })

function write({ certFile, keyFile }: ReturnType<typeof files>, { cert, key } = makeCertificate()): void {
  writeFileSync(certFile, cert)
  writeFileSync(keyFile, key)
}

test('an address may start as many handshakes as its share allows, whatever others do, and regains its share over time', () => {
  const addresses = fc.constantFrom('a', 'b', 'c')
  const steps = fc.array(fc.tuple(addresses, fc.integer({ min: 0, max: 400 }), fc.boolean()), { maxLength: 200 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 }), steps, (perSecond, all) => {
      let nowMs = 0
      const begin = createHandshakeShares(perSecond, () => nowMs)
      const begun = new Map<string, { atMs: number; end?: (() => void) | undefined }[]>()
      for (const [address, waitMs, ends] of all) {
        nowMs += waitMs
        const mine = begun.get(address) ?? []
        begun.set(address, mine)
        const running = mine.filter(({ end }) => end)
        if (ends && running[0]) {
          running[0].end!()
          running[0].end = undefined
          continue
        }
        const end = begin(address)
        if (end) mine.push({ atMs: nowMs, end })
        expect(mine.filter(each => each.end).length).toBeLessThanOrEqual(perSecond)
        // An address can begin `perSecond` handshakes at once, and `perSecond` more handshakes during the following second.
        expect(mine.filter(({ atMs }) => atMs > nowMs - 1000).length).toBeLessThanOrEqual(2 * perSecond)
        if (mine.length === 0) expect('the first of an address').toBe('begun')
      }
    }),
  )
})

test('the pair in use always matches, whatever is written to the files, and complete files replace it', async () => {
  const pairs = Array.from({ length: 3 }, () => makeCertificate())
  const at = files('watched')
  write(at, pairs[0])
  const faults: string[] = []
  const watch = watchKeyPair({ ...at, onReplaced: () => {}, onFault: ({ message }) => faults.push(message) })
  const part = fc.constantFrom('cert' as const, 'key' as const)
  const step = fc.tuple(part, fc.integer({ min: 0, max: 2 }), fc.double({ min: 0, max: 1, noNaN: true }))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.integer({ min: 0, max: 2 }), async (steps, last) => {
      for (const [which, of, share] of steps) {
        const whole = pairs[of]![which]
        writeFileSync(which === 'cert' ? at.certFile : at.keyFile, whole.slice(0, Math.ceil(whole.length * share)))
        await watch.look()
        const mine = pairs.filter(({ key }) => watch.current.key.toString().trim() === key.trim())
        expect(mine.map(({ cert }) => cert.trim())).toEqual([watch.current.cert.toString().trim()])
      }
      write(at, pairs[last])
      await watch.look()
      expect([watch.fault, watch.current.cert.toString()]).toEqual([undefined, pairs[last]!.cert])
    }),
    { numRuns: 30 },
  )
  // If a file has wrong content, the watch reports this once, and not at every check.
  writeFileSync(at.keyFile, 'nothing')
  faults.length = 0
  for (let i = 0; i < 3; i++) await watch.look()
  expect(faults).toHaveLength(1)
})

test('rejects settings with one file but not the other', () => {
  expect(tlsProblems({ tlsCertFile: '/a', tlsKeyFile: undefined })).toEqual([expect.stringMatching(/SVC_TLS_KEY_FILE is not/)])
  expect(tlsProblems({ tlsCertFile: undefined, tlsKeyFile: '/a' })).toEqual([expect.stringMatching(/SVC_TLS_CERT_FILE is not/)])
  expect(tlsProblems({ tlsCertFile: '/a', tlsKeyFile: '/b' })).toEqual([])
})

test('closes, counts and logs a TLS connection to a port without TLS, for each protocol', async () => {
  const { front, metrics, lines, open } = listenerOf()
  for (const [protocol, server] of [
    ['HTTP', front.newServer()],
    ['gRPC', front.newStreamServer()],
  ] as const) {
    const socket = connectTls({ host, port: await open(server), rejectUnauthorized: false })
    await expect(once(socket, 'secureConnect')).rejects.toThrow()
    await waitFor(() => lines.some(line => line.includes(`to the ${protocol} port`)), { what: `the line of ${protocol}` })
  }
  expect(await metrics.render()).toContain('svc_tls_to_plain_port_total 2')
})

test.each([
  ['garbage', 'garbage\r\n\r\n', '400 Bad Request'],
  ['headers without end', `GET / HTTP/1.1\r\nx: ${'x'.repeat(40_000)}`, '431 Request Header Fields Too Large'],
  ['a request line without end', `GET /${'x'.repeat(40_000)}`, '431 Request Header Fields Too Large'],
])('responds to %s with a status and a message', async (_, bytes, status) => {
  const { front, open } = listenerOf()
  const socket: Socket = connect(await open(front.newServer()), host)
  socket.write(bytes)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status}\r\nConnection: close\r\n.*Content-Length: ${body.length}$`, 's'))
  expect(JSON.parse(body)).toEqual({ message: expect.stringMatching(/^[A-Z].*\.$/) })
})

test('closes a TLS connection above the limits without a response, and reuses a freed slot', async () => {
  const at = files('limited')
  write(at)
  const { front, open } = listenerOf({ tlsCertFile: at.certFile, tlsKeyFile: at.keyFile, maxConnections: 16, maxConnectionsPerAddress: 16 })
  const port = await open(front.newServer())
  const sockets = Array.from({ length: 17 }, () =>
    connect(port, host)
      .on('error', () => {})
      .resume(),
  )
  await Promise.race(sockets.map(socket => once(socket, 'close')))
  for (const socket of sockets) socket.destroy()
  const answers = async () => {
    const socket = connectTls({ host, port, rejectUnauthorized: false }).on('error', () => {})
    socket.end('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    return (await text(socket).catch(() => '')).startsWith('HTTP/1.1 503')
  }
  await waitFor(answers, { what: 'an answer' })
})

test('a server can close during a handshake', async () => {
  const at = files('closing')
  write(at)
  const { front } = listenerOf({ tlsCertFile: at.certFile, tlsKeyFile: at.keyFile })
  for (const server of [front.newServer(), front.newStreamServer()]) {
    const { port } = await listen(server, { host, port: 0, variable: 'X' })
    const socket = connect(port, host)
      .on('error', () => {})
      .resume()
    await once(server, 'connection')
    const closed = once(socket, 'close')
    await closeServer(server, { graceMs: 20 })
    await closed
  }
})
