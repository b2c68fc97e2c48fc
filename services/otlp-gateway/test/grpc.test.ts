import type { ClientHttp2Session } from 'node:http2'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { AppError, grpcCodes } from '@svc-server/errors'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ingestIds, organizationAuthorization, startGateway, type TestGateway } from './gateway.ts'
import { type CallOptions, call, detailsOf, exportHeaders, framed, type GrpcAnswer, openSession } from './grpc-client.ts'
import { requestOf, span } from './requests.ts'

const KiB = 1024

let gateway: TestGateway
let session: ClientHttp2Session
beforeAll(async () => {
  gateway = await startGateway({ config: { maxBodyBytes: 256 * KiB } })
  session = openSession(gateway.grpcPort)
})
afterAll(async () => {
  session.destroy()
  await gateway[Symbol.asyncDispose]()
})

const ask = (options: CallOptions) => call(session, options)

async function stored(act: () => Promise<unknown>) {
  const place = ({ record }: Awaited<ReturnType<TestGateway['batches']>>[number]) => `${record.partition}/${record.offset}`
  const before = new Set((await gateway.batches('spans.direct')).map(place))
  await act()
  return (await gateway.batches('spans.direct')).filter(each => !before.has(place(each))).map(({ batch }) => batch)
}

const success = { http: 200, status: 0, code: 0 }

describe('a call becomes a record with the received bytes', () => {
  test.each([
    ['identity', (bytes: Uint8Array) => bytes],
    ['gzip', (bytes: Uint8Array) => gzipSync(bytes)],
    ['zstd', (bytes: Uint8Array) => zstdCompressSync(bytes)],
  ])('%s', async (encoding, compress) => {
    const body = compress(requestOf(span(), span()))
    const compressed = encoding !== 'identity'
    let answer: GrpcAnswer | undefined
    const all = await stored(async () => {
      answer = await ask({
        bytes: framed(body, compressed),
        headers: { 'x-svc-ingestion-version': '4', ...(compressed && { 'grpc-encoding': encoding }) },
      })
    })
    expect(answer).toMatchObject(success)
    expect(answer!.headers).toMatchObject({ 'content-type': 'application/grpc', 'x-svc-route': 'direct; reason=header' })
    expect(ingestIds.open('project-0', String(answer!.headers['x-svc-ingest-id']))?.has('spans.direct')).toBe(true)
    expect(answer!.body).toEqual(framed(new Uint8Array()))
    expect(all).toMatchObject([{ projectId: 'project-0', contentEncoding: encoding, spanCount: 2, ingestionVersion: 4 }])
    expect(Buffer.compare(all[0]!.payload, body)).toBe(0)
  })

  test('an uncompressed message is accepted although grpc-encoding names a compression', async () => {
    const all = await stored(() => ask({ bytes: framed(requestOf(span())), headers: { 'grpc-encoding': 'gzip' } }))
    expect(all).toMatchObject([{ contentEncoding: 'identity', spanCount: 1 }])
  })

  test('a message is stored whole, however it is split into frames', async () => {
    const bytes = framed(requestOf(span(), span(), span()))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: bytes.length }), { maxLength: 6 }), async cuts => {
        const all = await stored(async () => {
          const stream = session.request(exportHeaders)
          let status = ''
          stream.on('trailers', trailers => (status = String(trailers['grpc-status'])))
          stream.resume()
          let from = 0
          for (const to of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
            stream.write(bytes.subarray(from, to))
            from = to
            await new Promise(resolve => setImmediate(resolve))
          }
          stream.end()
          await new Promise(resolve => stream.once('close', resolve))
          expect(status).toBe('0')
        })
        expect(all).toMatchObject([{ spanCount: 3 }])
      }),
      { numRuns: 20 },
    )
  })

  test('spans that cannot be stored are rejected in the response message, and the others are stored', async () => {
    const all = await stored(async () => {
      const answer = await ask({ bytes: framed(requestOf(span(), span({ traceId: '0'.repeat(32) }))) })
      expect(answer).toMatchObject(success)
      expect(answer.body.toString('latin1')).toContain('trace')
    })
    expect(all).toMatchObject([{ spanCount: 1 }])
  })
})

test('gRPC and HTTP store the same records and refuse the same requests, whatever the body', async () => {
  const valid = requestOf(span(), span(), span())
  const bodies = fc.oneof(
    fc.uint8Array({ maxLength: 64 }),
    fc.constant(valid),
    fc
      .tuple(fc.nat({ max: valid.length - 1 }), fc.nat({ max: 255 }))
      .map(([at, byte]) => Uint8Array.from(valid, (old, i) => (i === at ? byte : old))),
    fc.nat({ max: valid.length }).map(to => valid.slice(0, to)),
  )
  // Masks the times in a response, because a rejection names the accepted time range, which depends on the clock.
  const withoutNow = (reply: Buffer) => reply.toString('latin1').replace(/T[\d:.]{12}Z/g, 'T…Z')
  const shape = (all: Awaited<ReturnType<typeof stored>>) =>
    all.map(({ spanCount, contentEncoding, payload }) => ({ spanCount, contentEncoding, payload: Buffer.from(payload).toString('base64') }))
  await fc.assert(
    fc.asyncProperty(bodies, fc.boolean(), async (plain, compressed) => {
      const body = compressed ? gzipSync(plain) : plain
      const http = { status: 0, reply: '' }
      const byHttp = await stored(async () => {
        const answer = await gateway.send('/v1/traces', { body, headers: compressed ? { 'content-encoding': 'gzip' } : {} })
        http.status = answer.status
        http.reply = withoutNow(answer.body)
      })
      let answer: GrpcAnswer | undefined
      const byGrpc = await stored(async () => {
        answer = await ask({ bytes: framed(body, compressed), headers: compressed ? { 'grpc-encoding': 'gzip' } : {} })
      })
      expect(shape(byGrpc)).toEqual(shape(byHttp))
      expect(answer!.status).toBe(http.status === 200 ? 0 : grpcCodes.INVALID_ARGUMENT)
      if (http.status === 200) expect(withoutNow(answer!.body.subarray(5))).toBe(http.reply)
    }),
    { numRuns: 100 },
  )
})

describe('refusals', () => {
  const bytes = framed(requestOf(span()))
  const tooLong = Buffer.alloc(5)
  tooLong.writeUInt32BE(257 * KiB, 1)
  const cases: readonly (readonly [string, CallOptions, keyof typeof grpcCodes, string])[] = [
    ['no key', { bytes, headers: { authorization: null } }, 'UNAUTHENTICATED', 'No such key.'],
    ['a wrong key', { bytes, headers: { authorization: 'Basic eDp5' } }, 'UNAUTHENTICATED', 'No such key.'],
    ['a key of an organization', { bytes, headers: { authorization: organizationAuthorization } }, 'PERMISSION_DENIED', 'organization'],
    ['an invalid version', { bytes, headers: { 'x-svc-ingestion-version': 'four' } }, 'INVALID_ARGUMENT', 'x-svc-ingestion-version'],
    ['an unknown method', { bytes, path: '/a.B/C' }, 'UNIMPLEMENTED', 'The method does not exist'],
    ['logs', { bytes, path: '/opentelemetry.proto.collector.logs.v1.LogsService/Export' }, 'UNIMPLEMENTED', 'log records'],
    ['messages of JSON', { bytes, headers: { 'content-type': 'application/grpc+json' } }, 'INVALID_ARGUMENT', 'protobuf'],
    ['an unknown encoding', { bytes, headers: { 'grpc-encoding': 'snappy' } }, 'UNIMPLEMENTED', 'snappy'],
    ['compressed, and nobody says how', { bytes: framed(gzipSync(requestOf(span())), true) }, 'INVALID_ARGUMENT', 'grpc-encoding'],
    ['an invalid flag', { bytes: Buffer.from([2, 0, 0, 0, 0]) }, 'INVALID_ARGUMENT', 'must be 0'],
    ['nothing', {}, 'INVALID_ARGUMENT', 'ended after 0 bytes'],
    ['less than a prefix', { bytes: Buffer.from([0, 0, 0]) }, 'INVALID_ARGUMENT', 'ended after 3 bytes'],
    ['less than was said', { bytes: bytes.subarray(0, -1) }, 'INVALID_ARGUMENT', 'ended after'],
    ['two messages', { bytes: Buffer.concat([bytes, bytes]) }, 'INVALID_ARGUMENT', 'one message'],
    ['no protobuf', { bytes: framed(Buffer.from('hello')) }, 'INVALID_ARGUMENT', ''],
    ['a message above the limit, of which only the length has come', { bytes: tooLong, unended: true }, 'RESOURCE_EXHAUSTED', '262144'],
    [
      'a bomb',
      { bytes: framed(gzipSync(Buffer.alloc(1024 * KiB)), true), headers: { 'grpc-encoding': 'gzip' } },
      'RESOURCE_EXHAUSTED',
      '262144',
    ],
    ['a wrong key whose body never ends', { headers: { authorization: 'Basic eDp5' }, unended: true }, 'UNAUTHENTICATED', 'No such key.'],
  ]
  test.each(cases)('%s', async (_, options, code, says) => {
    let answer: GrpcAnswer | undefined
    expect(await stored(async () => void (answer = await ask(options)))).toEqual([])
    expect(answer).toMatchObject({ http: 200, status: grpcCodes[code] })
    expect(answer!.message).toContain(says)
    expect(detailsOf(answer!)).toEqual({ code: grpcCodes[code], message: answer!.message, retries: false })
    expect(answer!.headers['grpc-accept-encoding']).toBe('identity,gzip,zstd,deflate')
  })

  test.each([
    ['no gRPC', { headers: { 'content-type': 'application/x-protobuf' } }, 415],
    ['no POST', { headers: { ':method': 'GET' } }, 405],
  ])('%s is refused with an HTTP status', async (_, options, http) => {
    expect(await ask(options)).toMatchObject({ http, status: undefined })
  })

  test('a retryable refusal includes a retry delay', async () => {
    const away = await startGateway({
      log: () => ({ append: () => Promise.reject(new AppError('log_unavailable', 'Down for a moment, 100 % of it: „weg“.')) }),
    })
    const client = openSession(away.grpcPort)
    const answer = await call(client, { bytes: framed(requestOf(span())) })
    expect(answer).toMatchObject({ http: 200, status: grpcCodes.UNAVAILABLE })
    expect(answer.message).toContain('100 % of it: „weg“.')
    expect(detailsOf(answer)).toMatchObject({ code: grpcCodes.UNAVAILABLE, retries: true })
    client.destroy()
    await away[Symbol.asyncDispose]()
  })

  test('a call beyond the rate limit gets UNAVAILABLE with a retry delay, before its message is read', async () => {
    await using limited = await startGateway({ config: { rateLimits: [{ bucket: 'ingestion', requests: 2, windowMs: 3_600_000 }] } })
    const client = openSession(limited.grpcPort)
    const answers = []
    for (let calls = 0; calls < 3; calls++) answers.push(await call(client, { bytes }))
    // One limit applies to gRPC and HTTP requests together.
    const { status } = await limited.send('/v1/traces', { body: requestOf(span()) })
    const unread = await call(client, { unended: true })
    client.destroy()
    expect([answers[0], answers[1], status]).toMatchObject([success, success, 429])
    for (const answer of [answers[2]!, unread]) {
      expect(answer).toMatchObject({ http: 200, status: grpcCodes.UNAVAILABLE })
      expect(detailsOf(answer)).toEqual({ code: grpcCodes.UNAVAILABLE, message: answer.message, retries: true })
      expect(answer.message).toContain('Rate limit')
    }
    expect(await limited.batches('spans.direct')).toHaveLength(2)
  })
})

test('metrics are acknowledged and discarded', async () => {
  const path = '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export'
  expect(await stored(async () => expect(await ask({ path, bytes: framed(Buffer.alloc(100)) })).toMatchObject(success))).toEqual([])
})

test('grpc.health.v1 responds SERVING without a key', async () => {
  const answer = await ask({ path: '/grpc.health.v1.Health/Check', bytes: framed(new Uint8Array()), headers: { authorization: null } })
  expect(answer).toMatchObject(success)
  expect(answer.body).toEqual(framed(Uint8Array.of(8, 1)))
})

test('requests are counted by protocol, with the status that HTTP would have had', async () => {
  const counted = (code: string) => gateway.metric('svc_gateway_requests_total', { protocol: 'grpc', code })
  const before = [await counted('200'), await counted('401')]
  await ask({ bytes: framed(requestOf(span())) })
  await ask({ headers: { authorization: null } })
  expect([await counted('200'), await counted('401')]).toEqual([before[0]! + 1, before[1]! + 1])
})
