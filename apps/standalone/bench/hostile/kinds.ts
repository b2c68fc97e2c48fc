// The attacks, by name. Each attack opens a few hundred connections from one machine. A `keyed` attack uses a valid key of the attacker's
// own project.
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Ports } from '../../test/instance.ts'
import { addresses, drip, oneAddress, pour, proxyAddress, storm } from './connections.ts'
import { call, expandingBlock, flags, frame, frames, healthCall, hello, settingsOf, traceCall } from './http2.ts'

export interface Target {
  readonly ports: Ports
  readonly authorization: string
}

const head = (method: string, path: string, ...lines: readonly string[]) =>
  `${[`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1', ...lines].join('\r\n')}\r\n\r\n`
const traces = '/v1/traces'
const protobuf = 'content-type: application/x-protobuf'
const ownPage = ['x-svc-ui: 1', 'sec-fetch-site: same-origin', 'content-type: application/json']
const chunked = 'transfer-encoding: chunked'
const tinyChunks = Buffer.from('1\r\nx\r\n'.repeat(10_000))
const write = (text: string) => (socket: Socket) => void socket.write(text, 'latin1')
const times = (count: number, text: (at: number) => string) => Array.from({ length: count }, (_, at) => text(at)).join('')

const signIn = (email: string) => {
  const body = JSON.stringify({ email, password: 'a wrong password' })
  return head('POST', '/api/ui/session', ...ownPage, `content-length: ${body.length}`) + body
}

const oneByOne = (request: () => string) => (socket: Socket) => {
  socket.write(request(), 'latin1')
  socket.on('data', () => socket.write(request(), 'latin1'))
}

const streams =
  (settings: Buffer | undefined, each: (id: number) => Buffer, perWrite = 100) =>
  (socket: Socket) => {
    socket.write(hello(settings))
    let id = 1
    const on = () => {
      while (!socket.destroyed && id < 1e9) {
        const bytes = Buffer.concat(Array.from({ length: perWrite }, () => each((id += 2) - 2)))
        if (!socket.write(bytes)) return
      }
    }
    socket.on('drain', on)
    on()
  }

const poured = (bytes: Buffer) => (socket: Socket) => {
  socket.write(hello())
  pour(socket, bytes)
}

const dataOf = (path: string, authorization: string | undefined, pieces: Buffer) => (socket: Socket) => {
  socket.write(hello())
  socket.write(frame(frames.headers, flags.endHeaders, 1, call(path, authorization)))
  pour(socket, pieces)
}

const empty = (count: number, bytes: Buffer) => Buffer.concat(Array.from({ length: count }, () => bytes))

export const kinds: Readonly<Record<string, (target: Target) => void>> = {
  'pieces, keyed': ({ ports, authorization }) =>
    storm({
      ...{ port: ports.SVC_OTLP_PORT, connections: 50, addressOf: oneAddress },
      attack(socket) {
        socket.write(head('POST', traces, protobuf, `authorization: ${authorization}`, 'content-length: 8000000'))
        drip(socket, 'x')
      },
    }),
  'chunks, keyed': ({ ports, authorization }) =>
    storm({
      ...{ port: ports.SVC_OTLP_PORT, connections: 50, addressOf: oneAddress },
      attack(socket) {
        socket.write(head('POST', traces, protobuf, `authorization: ${authorization}`, chunked))
        pour(socket, tinyChunks)
      },
    }),
  'chunks, no key': ({ ports }) =>
    storm({
      ...{ port: ports.SVC_OTLP_PORT, connections: 50, addressOf: oneAddress },
      attack(socket) {
        socket.write(head('POST', traces, protobuf, chunked))
        pour(socket, tinyChunks)
      },
    }),
  'chunks, 200 addresses': ({ ports }) =>
    storm({
      ...{ port: ports.SVC_OTLP_PORT, connections: 200, addressOf: addresses(200) },
      attack(socket) {
        socket.write(head('POST', traces, protobuf, chunked))
        pour(socket, tinyChunks)
      },
    }),
  'chunks, API': ({ ports }) =>
    storm({
      ...{ port: ports.PORT, connections: 50, addressOf: oneAddress },
      attack(socket) {
        socket.write(head('POST', '/api/public/scores', 'content-type: application/json', chunked))
        pour(socket, tinyChunks)
      },
    }),
  'chunks, sign-in': ({ ports }) =>
    storm({
      ...{ port: ports.PORT, connections: 50, addressOf: oneAddress },
      attack(socket) {
        socket.write(head('POST', '/api/ui/session', ...ownPage, chunked))
        pour(socket, tinyChunks)
      },
    }),
  'chunks, worker': ({ ports }) =>
    storm({
      ...{ port: ports.SVC_WORKER_PORT, connections: 50, addressOf: oneAddress },
      attack(socket) {
        socket.write(head('POST', '/health/live', chunked))
        pour(socket, tinyChunks)
      },
    }),
  'sign-in': ({ ports }) =>
    storm({
      ...{ port: ports.PORT, connections: 100, addressOf: oneAddress, pauseMs: 0 },
      attack: oneByOne(() => signIn(`${randomBytes(6).toString('hex')}@example.com`)),
    }),
  'sign-in, 200 addresses': ({ ports }) =>
    storm({
      ...{ port: ports.PORT, connections: 200, addressOf: addresses(200), pauseMs: 0 },
      attack: oneByOne(() => signIn(`${randomBytes(6).toString('hex')}@example.com`)),
    }),
  'sign-in, slow': ({ ports }) =>
    storm({
      ...{ port: ports.PORT, connections: 400, addressOf: addresses(10) },
      attack(socket) {
        socket.write(head('POST', '/api/ui/session', ...ownPage, 'content-length: 1000'))
        drip(socket, ' ', 1_000)
      },
    }),
  'heads, slow': ({ ports }) =>
    storm({
      ...{ port: ports.PORT, connections: 400, addressOf: addresses(10) },
      attack(socket) {
        socket.write('POST /api/ui/session HTTP/1.1\r\n')
        drip(socket, 'a: b\r\n', 100)
      },
    }),
  ...Object.fromEntries(
    (['SVC_OTLP_PORT', 'PORT', 'SVC_WORKER_PORT'] as const).flatMap(name => {
      const path = { SVC_OTLP_PORT: traces, PORT: '/api/public/v3/scores', SVC_WORKER_PORT: '/health/live' }[name]
      const at = { connections: 100, addressOf: oneAddress, pauseMs: 0 }
      return [
        [
          `headers, ${name}`,
          ({ ports }: Target) => storm({ ...at, port: ports[name], attack: oneByOne(() => head('GET', path, ...Array(1900).fill('a:b'))) }),
        ],
        [
          `query, ${name}`,
          ({ ports }: Target) =>
            storm({ ...at, port: ports[name], attack: oneByOne(() => head('GET', `${path}?${times(3500, n => `${n.toString(36)}&`)}`)) }),
        ],
        [
          `cookies, ${name}`,
          ({ ports }: Target) =>
            storm({ ...at, port: ports[name], attack: oneByOne(() => head('GET', path, `cookie: ${times(3500, () => 'a=b;')}`)) }),
        ],
        [
          `pipelined, ${name}`,
          ({ ports }: Target) =>
            storm({ ...at, port: ports[name], attack: socket => pour(socket, Buffer.from(times(100, () => head('GET', path)))) }),
        ],
        [`connects, ${name}`, ({ ports }: Target) => storm({ ...at, port: ports[name], attack: socket => socket.destroy() })],
        [`garbage, ${name}`, ({ ports }: Target) => storm({ ...at, port: ports[name], attack: write('\u00ff\u0000 nothing\r\n\r\n') })],
      ]
    }),
  ),
  'sessions’ cookies': ({ ports }) =>
    storm({
      ...{ port: ports.PORT, connections: 100, addressOf: oneAddress, pauseMs: 0 },
      attack: oneByOne(() =>
        head('GET', '/api/ui/me', `cookie: ${times(3000, n => `${n.toString(36)};`)}svc-session=${randomBytes(32).toString('hex')}`),
      ),
    }),
  'pipelined behind a proxy': ({ ports }) =>
    storm({
      ...{ port: ports.PORT, connections: 100, addressOf: () => proxyAddress, pauseMs: 0 },
      attack: socket => pour(socket, Buffer.from(times(200, n => head('GET', '/api/public/health', `x-forwarded-for: 10.0.0.${n % 200}`)))),
    }),
  upgrades: ({ ports }) =>
    storm({
      ...{ port: ports.PORT, connections: 100, addressOf: oneAddress, pauseMs: 0 },
      attack: write(
        head('GET', '/api/public/mcp', 'connection: upgrade', 'upgrade: websocket', 'sec-websocket-key: eHh4', 'sec-websocket-version: 13'),
      ),
    }),
  oidc: ({ ports }) =>
    storm({
      ...{ port: ports.PORT, connections: 100, addressOf: oneAddress, pauseMs: 0 },
      attack: oneByOne(() =>
        head(
          'GET',
          `/api/ui/session/oidc/callback?code=${randomBytes(40).toString('hex')}&state=x`,
          `cookie: svc-oidc=${randomBytes(400).toString('hex')}`,
        ),
      ),
    }),
  'oidc, start': ({ ports }) =>
    storm({
      ...{ port: ports.PORT, connections: 100, addressOf: oneAddress, pauseMs: 0 },
      attack: oneByOne(() => head('GET', '/api/ui/session/oidc?to=/')),
    }),
  'mcp, keyed': ({ ports, authorization }) => {
    const body = JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
      params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    })
    const lines = ['content-type: application/json', 'accept: application/json, text/event-stream', `authorization: ${authorization}`]
    storm({
      ...{ port: ports.PORT, connections: 200, addressOf: oneAddress, pauseMs: 0 },
      attack: oneByOne(() => head('POST', '/api/public/mcp', ...lines, `content-length: ${body.length}`) + body),
    })
  },
  'exports, keyed, unread': ({ ports, authorization }) =>
    storm({
      ...{ port: ports.PORT, connections: 200, addressOf: oneAddress, unread: true },
      attack: write(
        head('GET', '/api/public/v2/observations', `authorization: ${authorization}`, 'accept: application/x-ndjson').repeat(50),
      ),
    }),
  'file, unread': ({ ports }) =>
    storm({
      ...{ port: ports.PORT, connections: 400, addressOf: addresses(10), unread: true },
      attack: write(head('GET', '/assets/large.js').repeat(50)),
    }),
  'file, read': ({ ports }) =>
    storm({ port: ports.PORT, connections: 100, addressOf: oneAddress, attack: oneByOne(() => head('GET', '/assets/large.js')) }),
  'description, unread': ({ ports }) =>
    storm({
      ...{ port: ports.PORT, connections: 400, addressOf: addresses(10), unread: true },
      attack: write(head('GET', '/api/public/openapi.json').repeat(50)),
    }),
  'metrics, unread': ({ ports }) =>
    storm({
      ...{ port: ports.SVC_WORKER_PORT, connections: 200, addressOf: addresses(20), unread: true },
      attack: write(head('GET', '/metrics').repeat(50)),
    }),
  'continue, unread': ({ ports }) =>
    storm({
      ...{ port: ports.SVC_OTLP_PORT, connections: 200, addressOf: oneAddress },
      attack: write(head('POST', traces, protobuf, 'expect: 100-continue', 'content-length: 1000000').repeat(2)),
    }),
  'keys, unknown': ({ ports }) =>
    storm({
      ...{ port: ports.SVC_OTLP_PORT, connections: 200, addressOf: addresses(200), pauseMs: 0 },
      attack: oneByOne(() =>
        head(
          'POST',
          traces,
          protobuf,
          `authorization: Basic ${Buffer.from(`pk-${randomBytes(8).toString('hex')}:sk-x`).toString('base64')}`,
          'content-length: 0',
        ),
      ),
    }),
  'gRPC, window 0': ({ ports }) =>
    storm({ port: ports.SVC_OTLP_GRPC_PORT, connections: 200, addressOf: oneAddress, attack: streams(settingsOf(4, 0), healthStream) }),
  'gRPC, window 0, 200 addresses': ({ ports }) =>
    storm({ port: ports.SVC_OTLP_GRPC_PORT, connections: 200, addressOf: addresses(200), attack: streams(settingsOf(4, 0), healthStream) }),
  'gRPC, window 0, 100 each': ({ ports }) =>
    storm({
      ...{ port: ports.SVC_OTLP_GRPC_PORT, connections: 200, addressOf: addresses(200) },
      attack(socket) {
        socket.write(hello(settingsOf(4, 0)))
        for (let id = 1; id < 200; id += 2) socket.write(healthStream(id))
      },
    }),
  'gRPC, unread': ({ ports }) =>
    storm({
      port: ports.SVC_OTLP_GRPC_PORT,
      connections: 200,
      addressOf: oneAddress,
      unread: true,
      attack: streams(undefined, healthStream),
    }),
  'gRPC, expanding': ({ ports }) =>
    storm({
      ...{ port: ports.SVC_OTLP_GRPC_PORT, connections: 200, addressOf: addresses(200), pauseMs: 0 },
      attack(socket) {
        socket.write(hello())
        for (let at = 0; at < 400; at++) socket.write(frame(frames.headers, 5, 2 * at + 1, expandingBlock(at === 0)))
      },
    }),
  'gRPC, expanding, 7 each': ({ ports }) =>
    storm({
      ...{ port: ports.SVC_OTLP_GRPC_PORT, connections: 200, addressOf: addresses(200), pauseMs: 0 },
      attack(socket) {
        socket.write(hello())
        for (let at = 0; at < 7; at++) socket.write(frame(frames.headers, 5, 2 * at + 1, expandingBlock(at === 0)))
        setTimeout(() => socket.destroy(), 50)
      },
    }),
  'gRPC, refused': ({ ports }) =>
    storm({
      port: ports.SVC_OTLP_GRPC_PORT,
      connections: 200,
      addressOf: addresses(200),
      attack: streams(undefined, id => frame(frames.headers, 5, id, call(traceCall)), 60),
    }),
  'gRPC, served': ({ ports }) =>
    storm({ port: ports.SVC_OTLP_GRPC_PORT, connections: 200, addressOf: oneAddress, attack: streams(undefined, healthStream, 50) }),
  'gRPC, tiny data, keyed': ({ ports, authorization }) =>
    storm({
      ...{ port: ports.SVC_OTLP_GRPC_PORT, connections: 50, addressOf: oneAddress },
      attack: dataOf(traceCall, authorization, empty(1000, frame(frames.data, 0, 1, Buffer.from('x')))),
    }),
  'gRPC, tiny data': ({ ports }) =>
    storm({
      ...{ port: ports.SVC_OTLP_GRPC_PORT, connections: 50, addressOf: oneAddress },
      attack: dataOf(healthCall, undefined, empty(1000, frame(frames.data, 0, 1, Buffer.from('x')))),
    }),
  'gRPC, empty data': ({ ports }) =>
    storm({
      port: ports.SVC_OTLP_GRPC_PORT,
      connections: 50,
      addressOf: oneAddress,
      attack: dataOf(healthCall, undefined, empty(1000, frame(frames.data, 0, 1))),
    }),
  'gRPC, pings': ({ ports }) =>
    storm({
      port: ports.SVC_OTLP_GRPC_PORT,
      connections: 100,
      addressOf: oneAddress,
      attack: poured(empty(1000, frame(frames.ping, 0, 0, Buffer.alloc(8)))),
    }),
  'gRPC, settings': ({ ports }) =>
    storm({
      port: ports.SVC_OTLP_GRPC_PORT,
      connections: 100,
      addressOf: oneAddress,
      attack: poured(empty(1000, frame(frames.settings, 0, 0))),
    }),
  'gRPC, priorities': ({ ports }) =>
    storm({
      ...{ port: ports.SVC_OTLP_GRPC_PORT, connections: 100, addressOf: oneAddress },
      attack: poured(empty(1000, frame(frames.priority, 0, 1, Buffer.from([0, 0, 0, 3, 1])))),
    }),
  'gRPC, window updates': ({ ports }) =>
    storm({
      ...{ port: ports.SVC_OTLP_GRPC_PORT, connections: 100, addressOf: oneAddress },
      attack: poured(empty(100, frame(frames.windowUpdate, 0, 0, Buffer.from([0, 0, 0, 1])))),
    }),
  'gRPC, resets': ({ ports }) =>
    storm({
      ...{ port: ports.SVC_OTLP_GRPC_PORT, connections: 100, addressOf: oneAddress, pauseMs: 0 },
      attack: streams(undefined, id =>
        Buffer.concat([
          frame(frames.headers, flags.endHeaders, id, call(healthCall)),
          frame(frames.reset, 0, id, Buffer.from([0, 0, 0, 8])),
        ]),
      ),
    }),
  'gRPC, continuations': ({ ports }) =>
    storm({
      ...{ port: ports.SVC_OTLP_GRPC_PORT, connections: 100, addressOf: oneAddress },
      attack(socket) {
        socket.write(hello())
        socket.write(frame(frames.headers, 0, 1, call(healthCall)))
        pour(socket, empty(1000, frame(frames.continuation, 0, 1)))
      },
    }),
}

function healthStream(id: number): Buffer {
  const message = frame(frames.data, flags.endStream, id, Buffer.alloc(5))
  return Buffer.concat([frame(frames.headers, flags.endHeaders, id, call(healthCall)), message])
}
