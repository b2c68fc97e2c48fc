import { once } from 'node:events'
import { copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { credentials, Metadata } from '@grpc/grpc-js'
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { BasicTracerProvider, SimpleSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import { isAppError } from '@svc-server/errors'
import { makeCertificate, type TemporaryDirectory, type TestCertificate, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GatewayTestOptions, projectAuthorization, startGateway, type TestGateway } from './gateway.ts'

const host = '127.0.0.1'
const first = makeCertificate()
let directory: TemporaryDirectory
let gateway: TestGateway
const files = { tlsCertFile: '', tlsKeyFile: '' }

/** Updates a secret as Kubernetes does: creates a new directory, and then changes the symbolic link, so that it leads to this directory. */
function swapSecret({ cert, key }: TestCertificate, to: string): void {
  mkdirSync(join(directory.path, to))
  writeFileSync(join(directory.path, to, 'tls.crt'), cert)
  writeFileSync(join(directory.path, to, 'tls.key'), key)
  symlinkSync(to, join(directory.path, '..data.new'))
  renameSync(join(directory.path, '..data.new'), join(directory.path, '..data'))
}

const start = (tls: Partial<GatewayTestOptions['tls'] & object> = {}) => startGateway({ tls: { ...files, ...tls } })

beforeAll(async () => {
  directory = await temporaryDirectory('svc-tls-')
  swapSecret(first, 'first')
  Object.assign(files, { tlsCertFile: join(directory.path, '..data/tls.crt'), tlsKeyFile: join(directory.path, '..data/tls.key') })
  gateway = await start({ tlsHandshakeTimeoutMs: 3_000, tlsHandshakesPerSecond: 40 })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await directory.remove()
})

const exporters: Record<string, (ca: string) => SpanExporter> = {
  http: ca =>
    new ProtobufExporter({
      url: `${gateway.url}/v1/traces`,
      headers: { authorization: projectAuthorization },
      httpAgentOptions: { ca, keepAlive: false },
      timeoutMillis: 3_000,
    }),
  grpc(ca) {
    const metadata = new Metadata()
    metadata.set('authorization', projectAuthorization)
    return new GrpcExporter({
      url: `https://${host}:${gateway.grpcPort}`,
      credentials: credentials.createSsl(Buffer.from(ca)),
      metadata,
      timeoutMillis: 3_000,
    })
  },
}

async function exported(exporter: SpanExporter): Promise<number> {
  const spans = async () => (await gateway.batches('spans.direct')).reduce((sum, { batch }) => sum + batch.spanCount, 0)
  const before = await spans()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  provider.getTracer('test').startSpan('over TLS').end()
  await provider.forceFlush().catch(() => {})
  await provider.shutdown().catch(() => {})
  return (await spans()) - before
}

async function handshake(port = gateway.port, options: object = {}): Promise<TLSSocket> {
  const socket = connectTls({ host, port, rejectUnauthorized: false, ...options })
  await once(socket, 'secureConnect')
  return socket
}

const fingerprint = async (port?: number, options?: object) => {
  const socket = await handshake(port, options)
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

async function bare(port: number): Promise<{ readonly socket: Socket; readonly closed: Promise<unknown> }> {
  const socket = connect(port, host)
  socket.on('error', () => {}).resume()
  const closed = new Promise(resolve => socket.once('close', resolve))
  await once(socket, 'connect')
  return { socket, closed }
}

const handshakes = (outcome: string) => gateway.metric('svc_tls_handshakes_total', { outcome })
const logged = (text: string) => gateway.logLines.filter(line => line.includes(text))

test.each(Object.keys(exporters))('the %s exporter delivers only if it trusts the certificate', async name => {
  expect(await exported(exporters[name]!(first.cert))).toBe(1)
  expect(await exported(exporters[name]!(makeCertificate().cert))).toBe(0)
})

test('TLS versions older than the minimum are refused, and the newest is used', async () => {
  const socket = await handshake()
  expect(socket.getProtocol()).toBe('TLSv1.3')
  socket.destroy()
  const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }
  await expect(handshake(gateway.port, old)).rejects.toMatchObject({ code: expect.stringMatching(/SSL|ECONNRESET/) })
})

test('new connections on both ports get a swapped certificate; open ones stay, and a bad pair changes nothing', async () => {
  const second = makeCertificate()
  const h2 = { ALPNProtocols: ['h2'] }
  const before = await fingerprint()
  const open = await handshake()
  swapSecret(second, 'second')
  await waitFor(async () => (await fingerprint()) !== before, { what: 'the new certificate', everyMs: 100 })
  const after = await fingerprint()
  expect(await fingerprint(gateway.grpcPort, h2)).toBe(after)
  expect(await exported(exporters['grpc']!(second.cert))).toBe(1)
  open.write('GET /api/public/health HTTP/1.1\r\nhost: x\r\n\r\n')
  expect(String((await once(open, 'data'))[0])).toMatch(/^HTTP\/1\.1 (200|503) /)
  open.destroy()

  // The files get three defects, one after the other. First, the key does not match the certificate. Then the certificate is incomplete.
  // Finally, the certificate file is missing.
  const unusable = () => gateway.metric('svc_tls_files_unusable')
  swapSecret({ cert: makeCertificate().cert, key: second.key }, 'misfit')
  await waitFor(async () => (await unusable()) === 1, { what: 'the misfit to be seen' })
  writeFileSync(join(directory.path, '..data/tls.crt'), second.cert.slice(0, -100))
  await waitFor(() => logged('no complete certificate').length > 0, { what: 'the half to be seen' })
  rmSync(files.tlsCertFile)
  await waitFor(() => logged('there is no such file').length > 0, { what: 'the missing file to be seen' })
  expect(await fingerprint()).toBe(after)
  expect(logged('does not belong to the first certificate')).toHaveLength(1)
  expect(await gateway.metric('svc_tls_reloads_total', { outcome: 'refused' })).toBeGreaterThanOrEqual(3)

  // The gateway already uses this pair, so the restored files do not count as a reload.
  swapSecret(second, 'again')
  await waitFor(async () => (await unusable()) === 0, { what: 'the pair to be well again' })
  expect(await gateway.metric('svc_tls_reloads_total', { outcome: 'taken' })).toBe(1)
})

test('the dates of the certificate are metrics', async () => {
  const nowS = Date.now() / 1000
  expect(await gateway.metric('svc_tls_certificate_not_after_timestamp_seconds')).toBeGreaterThan(nowS + 23 * 3600)
  expect(await gateway.metric('svc_tls_certificate_not_before_timestamp_seconds')).toBeLessThan(nowS)
})

test.each([
  ['HTTP', () => gateway.port, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['gRPC', () => gateway.grpcPort, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
])('a plaintext connection to the %s port is closed, counted and logged', async (_, port, text) => {
  const before = await handshakes('plaintext')
  const { socket, closed } = await bare(port())
  socket.write(text)
  await closed
  await waitFor(async () => (await handshakes('plaintext')) > before, { what: 'the count' })
  expect(logged('spoke plaintext to a port with TLS')).not.toHaveLength(0)
})

test('an unfinished handshake is closed in time, whether its client is silent or sends a byte now and then', async () => {
  const before = await handshakes('timeout')
  const silent = await bare(gateway.port)
  const slow = await bare(gateway.grpcPort)
  // Announces a handshake message of 512 bytes. The client then sends its bytes slowly.
  slow.socket.write(Buffer.from([0x16, 3, 1, 2, 0, 1]))
  const timer = setInterval(() => slow.socket.write(Buffer.from([0])), 100)
  await Promise.all([silent.closed, slow.closed])
  clearInterval(timer)
  await waitFor(async () => (await handshakes('timeout')) >= before + 2, { what: 'both counts' })
  await fingerprint()
})

test('an address that opens too many TLS connections is refused beyond its share and served again later', async () => {
  const before = await handshakes('refused')
  const flood: Awaited<ReturnType<typeof bare>>[] = []
  const more = async () => {
    flood.push(...(await Promise.all(Array.from({ length: 100 }, () => bare(gateway.port)))))
    return (await handshakes('refused')) - before >= 20
  }
  await waitFor(more, { what: 'refusals' })
  expect(logged('opens too many TLS connections')).not.toHaveLength(0)
  for (const { socket } of flood) socket.destroy()
  await waitFor(async () => (await gateway.metric('svc_gateway_connections')) === 0, { what: 'all to be gone' })
  await waitFor(() => fingerprint().then(Boolean, () => false), { what: 'a handshake after the flood', everyMs: 100 })
  expect(gateway.bugs).toEqual([])
})

test('a TLS client on the gRPC port that does not speak or negotiate HTTP/2 is disconnected without a log line about missing TLS', async () => {
  const other = await handshake(gateway.grpcPort, { ALPNProtocols: ['h2'] })
  other.on('error', () => {}).resume()
  other.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(other, 'close')
  expect(logged('does not use TLS')).toEqual([])
  const socket = await handshake(gateway.grpcPort)
  socket.on('error', () => {}).resume()
  await once(socket, 'close')
})

test.each([
  ['is missing', 'tlsCertFile', () => rmSync(files.tlsCertFile), /SVC_TLS_CERT_FILE=.*: there is no such file\./],
  [
    'holds no certificate',
    'tlsCertFile',
    () => writeFileSync(files.tlsCertFile, 'x'),
    /SVC_TLS_CERT_FILE=.*contains no complete certificate \(PEM\)/,
  ],
  ['holds no key', 'tlsKeyFile', () => writeFileSync(files.tlsKeyFile, 'x'), /SVC_TLS_KEY_FILE=.*no complete private key/],
  [
    'is a key of another',
    'tlsKeyFile',
    () => writeFileSync(files.tlsKeyFile, makeCertificate().key),
    /does not belong to the first certificate/,
  ],
] as const)('a start with a file that %s fails with an error message', async (_, part, spoil, sentence) => {
  const saved = join(directory.path, 'saved')
  copyFileSync(files[part], saved)
  spoil()
  const error: unknown = await start().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  copyFileSync(saved, files[part])
  expect(isAppError(error) && error.code).toBe('config_invalid')
  expect((error as Error).message).toMatch(sentence)
})
