// Tests F29 for requests that would take too much memory or work. No HTTP library would send some of these requests, so the tests write
// them as raw bytes.

import { gzipSync, zstdCompressSync } from 'node:zlib'
import { createSpanGenerator, decodeTraceResponse, encodeTraceRequest, traceRequestJson, waitFor } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import { startGateway } from './gateway.ts'
import { bare, head, stream } from './raw-client.ts'
import { readStatus, requestOf, span } from './requests.ts'

const MiB = 1024 * 1024
describe('F29 · sizes', () => {
  test('a Content-Length of 1 GB is refused before any of the body arrives', async () => {
    await using gateway = await startGateway()
    const { ended, received } = await bare(gateway, head(['content-length: 1000000000']))
    await waitFor(() => received().includes('\r\n\r\n'), { what: 'the answer' })
    expect(received()).toMatch(/^HTTP\/1\.1 413 .*connection: close/is)
    expect(await gateway.metric('svc_gateway_inflight_bytes')).toBe(0)
    void ended
  })

  test('a client that continues to send gets a 413, not a reset', async () => {
    await using gateway = await startGateway({ config: { maxBodyBytes: MiB } })
    for (const headers of [{ 'content-length': String(3 * MiB) }, {}]) {
      const answer = await stream(gateway, Buffer.alloc(3 * MiB, ' '), { 'content-type': 'application/json', ...headers })
      expect(answer.status).toBe(413)
      expect(readStatus(answer)).toMatchObject({ code: 8, message: expect.stringContaining('1048576') })
      expect(answer.headers.connection).toBe('close')
    }
  })

  test.each([
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ])('a %s bomb of 100 MB takes no more memory than the limit', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(100_000_000))
    await using gateway = await startGateway({
      config: { maxBodyBytes: 8 * MiB, maxInflightBytes: 32 * MiB, maxInflightBytesPerProject: 32 * MiB },
    })
    const before = process.memoryUsage.rss()
    let peak = before
    const sampling = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5)
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => gateway.send('/v1/traces', { body: bomb, headers: { 'content-encoding': encoding } })),
    )
    clearInterval(sampling)
    const statuses = new Set(answers.map(answer => answer.status))
    expect(statuses.has(413)).toBe(true)
    expect([...statuses].every(status => status === 413 || status === 429)).toBe(true)
    // The test allows 300 MiB. Without limits, inflating 40 compression bombs at once would take 4 GB.
    expect(peak - before).toBeLessThan(300 * MiB)
    expect(await gateway.metric('svc_gateway_inflight_bytes')).toBe(0)
  })

  test('a gzip body of several members is read whole, although its trailer has only the size of the last one', async () => {
    await using gateway = await startGateway()
    const whole = createSpanGenerator({ seed: 5, startTimeMs: Date.now(), spansPerRequest: 30 }).next().protobuf
    const body = Buffer.concat([gzipSync(whole.subarray(0, 100_000)), gzipSync(whole.subarray(100_000))])
    expect((await gateway.send('/v1/traces', { body, headers: { 'content-encoding': 'gzip' } })).status).toBe(200)
    const [written] = await gateway.batches('spans.direct')
    expect(written!.batch).toMatchObject({ spanCount: 30, decodedBytes: whole.length })
  })

  test('F50 · an uncompressed body whose rows exceed the limit is refused without a second attempt', async () => {
    await using gateway = await startGateway()
    const spans = Array.from({ length: 2000 }, (_, i) => span({ traceId: (i + 1).toString(16).padStart(32, '0') }))
    const attributes = [{ key: 'large', value: { stringValue: 'x'.repeat(MiB) } }]
    const body = encodeTraceRequest({ resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] })
    for (const headers of [{ 'x-svc-ingestion-version': '3' }, { 'x-svc-ingestion-version': '4' }]) {
      const answer = await gateway.send('/v1/traces', { body, headers })
      expect(answer.status).toBe(413)
      expect(readStatus(answer)).toMatchObject({ code: 8, message: expect.stringMatching(/Send fewer/) })
    }
    expect(await gateway.metric('svc_gateway_spans_total', { outcome: 'accepted' })).toBe(0)
    expect(await gateway.metric('svc_gateway_inflight_bytes')).toBe(0)
  })

  test('values nested 10,000 deep are rejected with their span', async () => {
    await using gateway = await startGateway()
    const value = `${'{"arrayValue":{"values":['.repeat(10_000)}{"stringValue":"deep"}${']}}'.repeat(10_000)}`
    const attributes = { attributes: [{ key: 'a', value: { stringValue: 'VALUE' } }] }
    const body = Buffer.from(
      Buffer.from(traceRequestJson({ resourceSpans: [{ scopeSpans: [{ spans: [span(attributes), span()] }] }] }))
        .toString()
        .replace('{"stringValue":"VALUE"}', value),
    )
    const answer = await gateway.send('/v1/traces', { body, headers: { 'content-type': 'application/json' } })
    expect([200, 400]).toContain(answer.status)
    if (answer.status === 200) expect(JSON.parse(answer.body.toString())).toMatchObject({ partialSuccess: { rejectedSpans: '1' } })
    expect(gateway.bugs).toEqual([])
  })
})

describe('memory limits', () => {
  const held = () => {
    const released = Promise.withResolvers<void>()
    return { release: released.resolve, log: { append: () => released.promise.then(() => []) } }
  }

  test('a project over its share gets 429, any project gets 503 when the process is full, both with Retry-After', async () => {
    const { release, log } = held()
    const config = { maxBodyBytes: MiB, maxInflightBytes: 4 * MiB, maxInflightBytesPerProject: 2 * MiB }
    const authenticate = async (header: string | undefined) =>
      ({ accessLevel: 'project', orgId: 'o', projectId: `p-${header}`, apiKeyId: `k-${header}`, publicKey: 'pk' }) as const
    await using gateway = await startGateway({ config, log: () => log, deps: { authenticate } })
    const text = 'x'.repeat(900_000)
    const body = requestOf(span({ attributes: [{ key: 'input', value: { stringValue: text } }] }))
    const send = (key: string) => gateway.send('/v1/traces', { body, headers: { authorization: key } })
    const accepted = [send('a'), send('a')]
    await waitFor(async () => (await gateway.metric('svc_gateway_inflight_requests')) === 2, { what: 'two requests at the log' })
    await waitFor(async () => (await gateway.metric('svc_gateway_inflight_bytes')) > 1.7 * MiB, { what: 'their bytes' })
    const over = await send('a')
    expect([over.status, over.headers['retry-after']]).toEqual([429, expect.stringMatching(/^[1-5]$/)])
    accepted.push(send('b'), send('b'))
    await waitFor(async () => (await gateway.metric('svc_gateway_inflight_bytes')) > 3.4 * MiB, { what: 'the third and the fourth' })
    const full = await send('c')
    expect([full.status, full.headers['retry-after']]).toEqual([503, expect.stringMatching(/^[1-5]$/)])
    release()
    expect((await Promise.all(accepted)).map(answer => answer.status)).toEqual([200, 200, 200, 200])
    expect(await gateway.metric('svc_gateway_inflight_bytes')).toBe(0)
    expect(decodeTraceResponse((await send('a')).body).partialSuccess).toBeUndefined()
  })
})

test('requests beyond the rate limit of an organization get 429 before their bodies are read; other organizations are served', async () => {
  const rateLimits = [{ bucket: 'ingestion', requests: 2, windowMs: 3_600_000 }]
  const authenticate = async (header: string | undefined) =>
    ({ accessLevel: 'project', orgId: `o-${header?.[0]}`, projectId: `p-${header}`, apiKeyId: `k-${header}`, publicKey: 'pk' }) as const
  await using gateway = await startGateway({ config: { rateLimits }, deps: { authenticate } })
  const send = (key: string, body = requestOf(span())) => gateway.send('/v1/traces', { body, headers: { authorization: key } })
  const statuses = [await send('a1'), await send('a2'), await send('a1'), await send('a2'), await send('b1')].map(({ status }) => status)
  expect(statuses).toEqual([200, 200, 429, 429, 200])
  const refused = await send('a1', Buffer.from('not a request'))
  expect([refused.status, Number(refused.headers['retry-after']) > 3_500]).toEqual([429, true])
  expect(await gateway.metric('svc_gateway_refused_unread_total', { cause: 'rate_limited' })).toBe(3)
})

describe('F53 · announced bodies that do not arrive', () => {
  test('reserve no memory for the missing bytes: the same project is still served', async () => {
    await using gateway = await startGateway()
    const idle = await Promise.all(Array.from({ length: 40 }, () => bare(gateway, head([`content-length: ${64 * MiB}`]))))
    await waitFor(async () => (await gateway.metric('svc_gateway_inflight_requests')) === 40, { what: 'the requests' })
    expect(await gateway.metric('svc_gateway_inflight_bytes')).toBe(0)
    for (const { socket } of idle) socket.write(' '.repeat(1000))
    await waitFor(async () => (await gateway.metric('svc_gateway_inflight_bytes')) === 40_000, { what: 'what has arrived' })
    expect((await gateway.send('/v1/traces', { body: requestOf(span()) })).status).toBe(200)
    for (const { socket } of idle) socket.destroy()
    await waitFor(async () => (await gateway.metric('svc_gateway_inflight_bytes')) === 0, { what: 'the end' })
  })

  test('the oldest upload of a project finishes; younger ones that take its memory get 429', async () => {
    const config = { maxBodyBytes: MiB, maxInflightBytes: 2 * MiB, maxInflightBytesPerProject: MiB }
    await using gateway = await startGateway({ config })
    const body = `{${' '.repeat(MiB - 2)}}`
    const begin = async (bytes: number) => {
      const sender = await bare(gateway, head([`content-length: ${MiB}`, 'connection: close']))
      sender.socket.write(body.slice(0, bytes))
      return sender
    }
    const held = (bytes: number) =>
      waitFor(async () => (await gateway.metric('svc_gateway_inflight_bytes')) === bytes, { what: `${bytes} bytes` })
    const oldest = await begin(400_000)
    await held(400_000)
    const younger = await begin(600_000)
    await held(1_000_000)
    oldest.socket.write(body.slice(400_000))
    expect(await oldest.ended).toMatch(/^HTTP\/1\.1 200 /)
    await waitFor(() => younger.received().includes('\r\n\r\n'), { what: 'the refusal' })
    expect(younger.received()).toMatch(/^HTTP\/1\.1 429 .*retry-after: \d/is)
    younger.socket.destroy()
    await held(0)
  })
})

describe('before the body', () => {
  test('Expect: 100-continue gets a 100 only after admission', async () => {
    await using gateway = await startGateway()
    const refused = await bare(
      gateway,
      `POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n`,
    )
    expect(await refused.ended).toMatch(/^HTTP\/1\.1 401 /)
    const admitted = await bare(gateway, head(['expect: 100-continue', 'content-length: 2', 'connection: close']))
    await waitFor(() => admitted.received().startsWith('HTTP/1.1 100 Continue'), { what: '100 Continue' })
    admitted.socket.write('{}')
    expect(await admitted.ended).toMatch(/HTTP\/1\.1 200 OK/)
  })

  test('the connection stays open after a small body is refused', async () => {
    await using gateway = await startGateway()
    const one = `POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`
    const { socket, received } = await bare(gateway, one)
    await waitFor(() => received().includes('HTTP/1.1 401'), { what: 'the first answer' })
    socket.write(one)
    await waitFor(() => received().split('HTTP/1.1 401').length === 3, { what: 'the second answer' })
    socket.destroy()
  })
})
