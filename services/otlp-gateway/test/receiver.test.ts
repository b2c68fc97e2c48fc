import { deflateRawSync, deflateSync, gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { SpanBatch } from '@svc-server/schema/span-batch'
import { createSpanGenerator, decodeTraceRequest, decodeTraceResponse, traceRequestJson } from '@svc-server/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ingestIds, startGateway, type TestGateway } from './gateway.ts'
import { requestOf, span, traceId } from './requests.ts'

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const bodyOf = ({ contentEncoding, payload }: SpanBatch): Uint8Array =>
  contentEncoding === 'gzip' ? gunzipSync(payload) : contentEncoding === 'zstd' ? zstdDecompressSync(payload) : payload

async function stored(topic: string, act: () => Promise<unknown>) {
  const before = (await gateway.batches(topic)).map(({ record }) => `${record.partition}/${record.offset}`)
  await act()
  const after = await gateway.batches(topic)
  return after.filter(({ record }) => !before.includes(`${record.partition}/${record.offset}`))
}

const spansIn = (batch: SpanBatch) => decodeTraceRequest(bodyOf(batch)).resourceSpans!.flatMap(r => r.scopeSpans!.flatMap(s => s.spans!))

describe('the direct path', () => {
  test.each([
    ['identity', (bytes: Uint8Array) => bytes],
    ['gzip', (bytes: Uint8Array) => gzipSync(bytes)],
    ['zstd', (bytes: Uint8Array) => zstdCompressSync(bytes)],
  ])('a valid %s body goes to the log unchanged', async (encoding, compress) => {
    const decoded = requestOf(span(), span())
    const body = compress(decoded)
    const headers = {
      'content-encoding': encoding,
      'x-svc-ingestion-version': '4',
      'x-svc-sdk-name': 'python',
      'x-svc-sdk-version': '5.0.4',
    }
    const sentAtMs = Date.now()
    let ingestId = ''
    const records = await stored('spans.direct', async () => {
      const answer = await gateway.send('/v1/traces', { body, headers })
      ingestId = String(answer.headers['x-svc-ingest-id'])
      expect(answer.status).toBe(200)
      expect(answer.headers['content-type']).toBe('application/x-protobuf')
      expect(answer.headers['x-svc-route']).toBe('direct; reason=header')
      expect(answer.body).toHaveLength(0)
    })
    expect(records).toHaveLength(1)
    const { record, batch } = records[0]!
    expect(record.key).toBeNull()
    expect(ingestIds.open('project-0', ingestId)).toEqual(new Map([['spans.direct', new Map([[record.partition, record.offset + 1]])]]))
    expect(batch).toMatchObject({
      projectId: 'project-0',
      apiKey: 'pk-test',
      sdkName: 'python',
      sdkVersion: '5.0.4',
      ingestionVersion: 4,
      contentEncoding: encoding,
      decodedBytes: decoded.length,
      spanCount: 2,
      traceAttributes: null,
    })
    expect(Buffer.compare(batch.payload, body)).toBe(0)
    expect(batch.receivedAtMs).toBeGreaterThanOrEqual(sentAtMs)
    expect(batch.receivedAtMs).toBeLessThanOrEqual(Date.now())
  })

  test.each([
    ['zlib deflate', 'deflate', deflateSync],
    ['raw deflate', 'deflate', deflateRawSync],
    ['plain', 'identity', (bytes: Uint8Array) => bytes],
  ])('a body sent %s is written with zstd', async (_, encoding, compress) => {
    const decoded = createSpanGenerator({ seed: 1, startTimeMs: Date.now(), spansPerRequest: 5 }).next().protobuf
    const [written, ...others] = await stored('spans.direct', async () => {
      const answer = await gateway.send('/v1/traces', { body: compress(decoded), headers: { 'content-encoding': encoding } })
      expect(answer.status).toBe(200)
    })
    expect(others).toHaveLength(0)
    expect(written!.batch).toMatchObject({ contentEncoding: 'zstd', decodedBytes: decoded.length, spanCount: 5 })
    expect(Buffer.compare(bodyOf(written!.batch), decoded)).toBe(0)
  })

  test.each([
    ['small, on the event loop', 3],
    ['large, in a worker thread', 200],
  ])('a JSON body is transcoded to protobuf: %s', async (_, spansPerRequest) => {
    const generated = createSpanGenerator({ seed: 2, startTimeMs: Date.now(), spansPerRequest }).next()
    const [written, ...others] = await stored('spans.direct', async () => {
      const headers = { 'content-type': 'application/json; charset=utf-8' }
      const answer = await gateway.send('//api/public/otel/v1/traces', { body: generated.json, headers, chunked: true })
      expect(answer.status).toBe(200)
      expect(answer.headers['content-type']).toBe('application/json')
      expect(answer.body.toString()).toBe('{}')
    })
    expect(others).toHaveLength(0)
    expect(written!.batch.spanCount).toBe(spansPerRequest)
    expect(decodeTraceRequest(bodyOf(written!.batch))).toEqual(decodeTraceRequest(generated.protobuf))
  })

  test('64-bit integers in JSON keep their exact value', async () => {
    const exact = span({ startTimeUnixNano: `${Date.now()}320185`, attributes: [{ key: 'n', value: { intValue: '9007199254740993' } }] })
    const body = traceRequestJson({ resourceSpans: [{ scopeSpans: [{ spans: [exact] }] }] })
    const [written] = await stored('spans.direct', () =>
      gateway.send('/v1/traces', { body, headers: { 'content-type': 'application/json' } }),
    )
    const [read] = spansIn(written!.batch)
    expect(read!.startTimeUnixNano).toBe(exact.startTimeUnixNano)
    expect(read!.attributes![0]!.value!.intValue).toBe('9007199254740993')
  })

  test('every request has its own ingest id', async () => {
    const written = await stored('spans.direct', async () => {
      for (let i = 0; i < 20; i++) await gateway.send('/v1/traces', { body: requestOf(span()) })
    })
    expect(new Set(written.map(({ batch }) => batch.ingestId)).size).toBe(20)
  })

  test.each([
    ['nothing', 'application/x-protobuf', new Uint8Array()],
    ['a resource without spans', 'application/x-protobuf', requestOf()],
    ['an empty object', 'application/json', Buffer.from('{}')],
  ])('an empty request (%s) succeeds and writes nothing', async (_, contentType, body) => {
    const written = await stored('spans.direct', async () => {
      expect((await gateway.send('/v1/traces', { body, headers: { 'content-type': contentType } })).status).toBe(200)
    })
    expect(written).toHaveLength(0)
  })
})

describe('the staging path', () => {
  test('spans are split by trace, with project and trace as key', async () => {
    const generated = createSpanGenerator({ seed: 3, startTimeMs: Date.now(), spansPerRequest: 40 }).next()
    const written = await stored('spans.staging', async () => {
      const answer = await gateway.send('/v1/traces', {
        body: gzipSync(generated.protobuf),
        headers: { 'content-encoding': 'gzip', 'x-svc-ingestion-version': '3' },
      })
      expect(answer.status).toBe(200)
      expect(answer.headers['x-svc-route']).toBe('staging; reason=header-opt-out')
    })
    const wanted = Map.groupBy(generated.spans, s => s.traceId)
    expect(written.map(({ record }) => Buffer.from(record.key!).toString()).sort()).toEqual(
      [...wanted.keys()].map(id => `project-0/${id}`).sort(),
    )
    for (const { record, batch } of written) {
      const id = Buffer.from(record.key!).toString().slice('project-0/'.length)
      const ids = spansIn(batch).map(s => Buffer.from(s.spanId as Uint8Array).toString('hex'))
      expect(ids).toEqual(wanted.get(id)!.map(s => s.spanId))
      expect(batch).toMatchObject({ spanCount: ids.length, ingestionVersion: 3, contentEncoding: 'zstd', traceAttributes: null })
    }
  })

  test('a slice too small to compress stays uncompressed', async () => {
    const headers = { 'x-svc-ingestion-version': '3' }
    const [written] = await stored('spans.staging', () => gateway.send('/v1/traces', { body: requestOf(span()), headers }))
    expect(written!.batch.contentEncoding).toBe('identity')
  })
})

describe('partial success', () => {
  const body = () => requestOf(span(), span({ traceId: '00'.repeat(16) }), span({ spanId: 'abcd' }), span())

  test('valid siblings are stored, and the response counts and names the rejected spans', async () => {
    const [written, ...others] = await stored('spans.direct', async () => {
      const answer = await gateway.send('/v1/traces', { body: body() })
      expect(answer.status).toBe(200)
      const { partialSuccess } = decodeTraceResponse(answer.body)
      expect(partialSuccess!.rejectedSpans).toBe('2')
      expect(partialSuccess!.errorMessage).toMatch(/^2 of 4 spans were rejected\..*span 1: .*span 2: /)
    })
    expect(others).toHaveLength(0)
    expect(written!.batch.spanCount).toBe(2)
    expect(spansIn(written!.batch)).toHaveLength(2)
    expect(await gateway.metric('svc_gateway_rejected_spans_total', { reason: 'trace_id_zero' })).toBe(1)
  })

  test('a request with only bad spans succeeds and writes nothing', async () => {
    const written = await stored('spans.direct', async () => {
      const answer = await gateway.send('/v1/traces', { body: requestOf(span({ traceId: '' })) })
      expect(answer.status).toBe(200)
      expect(decodeTraceResponse(answer.body).partialSuccess!.rejectedSpans).toBe('1')
    })
    expect(written).toHaveLength(0)
  })

  test('a JSON request gets a JSON response', async () => {
    const json = traceRequestJson({ resourceSpans: [{ scopeSpans: [{ spans: [span({ traceId: 'xyz' as never }), span()] }] }] })
    const answer = await gateway.send('/v1/traces', { body: json, headers: { 'content-type': 'application/json' } })
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body.toString())).toMatchObject({
      partialSuccess: { rejectedSpans: '1', errorMessage: expect.stringContaining('span 0') },
    })
  })
})

test('a corrected span is stored, and the response warns without rejecting it', async () => {
  const json = Buffer.from(traceRequestJson({ resourceSpans: [{ scopeSpans: [{ spans: [span({ kind: 3 })] }] }] }))
  const body = Buffer.from(json.toString().replace('"kind":3', '"kind":"SPAN_KIND_CLIENT"'))
  const [written] = await stored('spans.direct', async () => {
    const answer = await gateway.send('/v1/traces', { body, headers: { 'content-type': 'application/json' } })
    expect(answer.status).toBe(200)
    const { partialSuccess } = JSON.parse(answer.body.toString())
    expect(partialSuccess).toMatchObject({ rejectedSpans: '0', errorMessage: expect.stringContaining('enum') })
  })
  expect(spansIn(written!.batch)[0]!.kind).toBe(3)
})

describe('other endpoints', () => {
  test.each([
    ['application/x-protobuf', ''],
    ['application/json', '{}'],
  ])('metrics are acknowledged as %s, discarded and counted', async (contentType, body) => {
    const before = await gateway.metric('svc_gateway_metrics_discarded_total')
    for (const path of ['/v1/metrics', '/api/public/otel/v1/metrics', '//api/public/otel/v1/metrics/']) {
      const answer = await gateway.send(path, { body: Buffer.alloc(300_000), headers: { 'content-type': contentType }, chunked: true })
      expect([answer.status, answer.body.toString(), answer.headers['content-type']]).toEqual([200, body, contentType])
    }
    expect(await gateway.metric('svc_gateway_metrics_discarded_total')).toBe(before + 3)
    expect((await gateway.send('/v1/metrics', { headers: { authorization: null } })).status).toBe(401)
  })

  test('a preflight is granted without a key', async () => {
    const headers = {
      authorization: null,
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, x-svc-sdk-name',
    }
    const answer = await gateway.send('/api/public/otel/v1/traces', { method: 'OPTIONS', headers })
    expect(answer.status).toBe(204)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST, OPTIONS',
      'access-control-allow-headers': 'authorization, x-svc-sdk-name',
    })
    const posted = await gateway.send('/v1/traces', { body: requestOf(span()) })
    expect(posted.headers['access-control-allow-origin']).toBe('*')
  })

  test('health and readiness respond 200 without a key', async () => {
    const headers = { authorization: null, 'content-type': null }
    for (const path of ['/api/public/health', '/api/public/ready', '/api/public/health?failIfDatabaseUnavailable=true']) {
      const answer = await gateway.send(path, { method: 'GET', headers })
      expect(answer.status).toBe(200)
      expect(JSON.parse(answer.body.toString())).toEqual({ status: 'OK', version: expect.stringMatching(/^\d+\.\d+\.\d+/) })
    }
    const head = await gateway.send('/api/public/health', { method: 'HEAD', headers })
    expect([head.status, head.body.length]).toEqual([200, 0])
  })

  test('health fails with failIfDatabaseUnavailable when the database does not respond', async () => {
    await using broken = await startGateway({ deps: { checkDatabase: () => Promise.reject(new Error('down')) } })
    const headers = { authorization: null }
    expect((await broken.send('/api/public/health', { method: 'GET', headers })).status).toBe(200)
    const asked = await broken.send('/api/public/health?failIfDatabaseUnavailable=true', { method: 'GET', headers })
    expect([asked.status, JSON.parse(asked.body.toString()).status]).toEqual([503, 'Database not available'])
  })
})

test('the requests of these tests are counted in the metrics', async () => {
  await gateway.send('/v1/traces', { body: gzipSync(requestOf(span({ traceId }))), headers: { 'content-encoding': 'gzip' } })
  expect(await gateway.metric('svc_gateway_requests_total', { code: '200', encoding: 'protobuf', compression: 'gzip' })).toBeGreaterThan(0)
  expect(await gateway.metric('svc_gateway_spans_total', { outcome: 'accepted', route: 'direct' })).toBeGreaterThan(0)
  expect(await gateway.metric('svc_gateway_routed_requests_total', { route: 'staging', reason: 'header-opt-out' })).toBeGreaterThan(0)
  expect(await gateway.metric('svc_gateway_requests_total', { code: '401' })).toBeGreaterThan(0)
  expect(await gateway.metric('svc_gateway_request_duration_seconds_count', { endpoint: 'traces' })).toBeGreaterThan(0)
  expect(await gateway.metric('svc_gateway_append_duration_seconds_count')).toBeGreaterThan(0)
  expect(await gateway.metric('svc_gateway_inflight_bytes')).toBe(0)
})
