// Runs the published exporters against a gateway. The log is real, and the keys are real keys in PGlite.
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { Metadata } from '@grpc/grpc-js'
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { CompressionAlgorithm, type OTLPExporterConfigBase } from '@opentelemetry/otlp-exporter-base'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import { AppError } from '@svc-server/errors'
import type { EventLog } from '@svc-server/log'
import { createAuthenticator } from '@svc-server/relational/authentication'
import { createKeyStore } from '@svc-server/relational/key-store'
import type { RelationalStore } from '@svc-server/relational/store'
import { openTestStore } from '@svc-server/relational/test-stores'
import { decodeTraceRequest } from '@svc-server/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway, type TestGateway } from './gateway.ts'
import { readStatus, requestOf, span } from './requests.ts'

let store: RelationalStore
let gateway: TestGateway
let failures = 0
const keys = { project: '', organization: '', revoked: '' }

beforeAll(async () => {
  store = await openTestStore()
  const keyStore = createKeyStore(store, { salt: 'a-salt-of-sixteen-characters' })
  await keyStore.createOrganization({ id: 'org', name: 'Org' })
  await keyStore.createProject({ id: 'support-bot', orgId: 'org', name: 'Support bot' })
  const basic = ({ publicKey, secretKey }: { publicKey: string; secretKey: string }) =>
    `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`
  const project = await keyStore.createKeyPair({ owner: { projectId: 'support-bot' }, publicKey: 'pk-real', secretKey: 'sk-real-secret' })
  const revoked = await keyStore.createKeyPair({ owner: { projectId: 'support-bot' } })
  keys.project = basic(project)
  keys.organization = basic(await keyStore.createKeyPair({ owner: { orgId: 'org' } }))
  keys.revoked = basic(revoked)
  await keyStore.revoke(revoked.id)
  gateway = await startGateway({
    deps: { authenticate: createAuthenticator(keyStore), checkDatabase: store.ping },
    log: (real: EventLog) => ({
      append: (...args: Parameters<EventLog['append']>) =>
        failures-- > 0 ? Promise.reject(new AppError('log_unavailable', 'Down for a moment.')) : real.append(...args),
    }),
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await store.close()
})

type ExporterConfig = OTLPExporterConfigBase & { readonly compression?: CompressionAlgorithm }

const exporters: Record<string, (config: ExporterConfig) => SpanExporter> = {
  protobuf: config => new ProtobufExporter(config),
  json: config => new JsonExporter(config),
  grpc({ headers, ...config }) {
    const metadata = new Metadata()
    for (const [name, value] of Object.entries(headers as Record<string, string>)) metadata.set(name, value)
    return new GrpcExporter({ ...config, metadata, url: `http://127.0.0.1:${gateway.grpcPort}` })
  },
}

async function run(exporter: SpanExporter, name: string, count: number): Promise<void> {
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': name }),
    spanProcessors: [new BatchSpanProcessor(exporter, { maxExportBatchSize: 512 })],
  })
  const tracer = provider.getTracer('test', '1.0.0')
  for (let i = 0; i < count; i++) {
    const span = tracer.startSpan(`step ${i}`, {
      attributes: { 'svc.observation.type': 'generation', n: i, big: 2 ** 40, list: ['a', 'b'] },
    })
    span.addEvent('first token', { at: i })
    span.end()
  }
  await provider.forceFlush()
  await provider.shutdown()
}

async function storedNames(service: string): Promise<string[]> {
  const names: string[] = []
  for (const { batch } of await gateway.batches('spans.direct')) {
    expect(batch).toMatchObject({ projectId: 'support-bot', apiKey: 'pk-real' })
    const { contentEncoding, payload } = batch
    const bytes = contentEncoding === 'gzip' ? gunzipSync(payload) : contentEncoding === 'zstd' ? zstdDecompressSync(payload) : payload
    for (const { resource, scopeSpans } of decodeTraceRequest(bytes).resourceSpans ?? []) {
      if (!resource?.attributes?.some(({ value }) => value?.stringValue === service)) continue
      for (const { spans } of scopeSpans ?? []) for (const { name } of spans ?? []) names.push(name ?? '')
    }
  }
  return names
}

describe.each(Object.keys(exporters))('@opentelemetry exporter, %s', format => {
  const open = (config: ExporterConfig) =>
    exporters[format]!({ url: `${gateway.url}/api/public/otel/v1/traces`, headers: { Authorization: keys.project }, ...config })

  test.each([
    ['identity', CompressionAlgorithm.NONE],
    ['gzip', CompressionAlgorithm.GZIP],
  ])('%s: every span is on the log once', async (name, compression) => {
    const service = `${format}-${name}`
    await run(open({ compression }), service, 1200)
    const names = await storedNames(service)
    expect(names.toSorted()).toEqual(Array.from({ length: 1200 }, (_, i) => `step ${i}`).toSorted())
  })

  test('a base URL with a trailing slash works', async () => {
    await run(open({ url: `${gateway.url}//api/public/otel/v1/traces` }), `${format}-slash`, 1)
    expect(await storedNames(`${format}-slash`)).toEqual(['step 0'])
  })

  test('the exporter retries a failed export with the same bytes, or reports the failure if it does not retry', async () => {
    failures = 1
    const told = await run(open({}), `${format}-retry`, 3).catch((error: unknown) => error)
    failures = 0
    // The gRPC exporter for JavaScript reports UNAVAILABLE (14) and does not retry, so nothing is stored.
    if (format === 'grpc') expect([told].flat()).toMatchObject([{ code: 14 }])
    expect(await storedNames(`${format}-retry`)).toHaveLength(format === 'grpc' ? 0 : 3)
  })

  test('the exporter does not retry after 401 and reports the error', async () => {
    const exporter = open({ headers: { Authorization: 'Basic cGstcmVhbDp3cm9uZw==' } })
    const counted = async () => [
      await gateway.metric('svc_gateway_rejected_total', { reason: 'key_unknown' }),
      await gateway.metric('svc_gateway_refused_unread_total', { cause: 'key_unknown' }),
    ]
    const before = await counted()
    const told = await run(exporter, `${format}-refused`, 1).catch((error: unknown) => error)
    expect([told].flat()).toMatchObject([{ code: format === 'grpc' ? 16 : 401 }])
    expect(await counted()).toEqual(before.map(count => count + 1))
    expect(await storedNames(`${format}-refused`)).toEqual([])
  })
})

describe('keys', () => {
  const send = (authorization: string | null) => gateway.send('/v1/traces', { body: requestOf(span()), headers: { authorization } })

  test.each([
    ['a project key', () => keys.project, 200],
    ['an organization key', () => keys.organization, 403],
    ['a revoked key', () => keys.revoked, 401],
    ['a public key alone', () => 'Bearer pk-real', 403],
    ['a wrong secret', () => `Basic ${Buffer.from('pk-real:sk-wrong').toString('base64')}`, 401],
    ['no Basic', () => 'Basic %%%', 401],
    ['nothing', () => null, 401],
  ])('%s → %s', async (_, authorization, status) => {
    const answer = await send(authorization())
    expect(answer.status).toBe(status)
    if (status !== 200) expect(readStatus(answer).message).not.toContain('support-bot')
  })

  test('a key without the permission gets 403 before its body arrives', async () => {
    // The client sends a Content-Length but no byte of the body.
    const answer = await gateway.send('/v1/traces', { headers: { authorization: keys.organization, 'content-length': '1000000' } })
    expect(answer.status).toBe(403)
  })
})
