import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { Writable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { AppError } from '@svc-server/errors'
import type { EventLog, NewRecord } from '@svc-server/log'
import { createHealth } from '@svc-server/service/health'
import { createLogger } from '@svc-server/service/logs'
import { createSpanGenerator, decodeTraceResponse, waitFor } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import { projectAuthorization, sendTo, startGateway } from './gateway.ts'
import { bigSpan, readStatus, requestOf, span } from './requests.ts'

const MiB = 1024 * 1024
const nanoseconds = (ms: number) => BigInt(ms) * 1_000_000n

describe('F01 · the response follows the acknowledgement', () => {
  test('the gateway sends no 200 before the log has the records', async () => {
    const acknowledged = Promise.withResolvers<void>()
    const log = (real: EventLog) => ({
      append: async (...args: Parameters<EventLog['append']>) => {
        const positions = await real.append(...args)
        await acknowledged.promise
        return positions
      },
    })
    await using gateway = await startGateway({ log })
    let answered = false
    const answer = gateway.send('/v1/traces', { body: requestOf(span()) }).finally(() => (answered = true))
    await waitFor(async () => (await gateway.batches('spans.direct')).length === 1, { what: 'the record' })
    expect(answered).toBe(false)
    acknowledged.resolve()
    expect((await answer).status).toBe(200)
  })

  test('the memory of the records is released with the 200, and not while the log may still write them', async () => {
    const acknowledged = Promise.withResolvers<never[]>()
    const held: NewRecord[] = []
    const append = (_topic: string, records: readonly NewRecord[]) => {
      held.push(...records)
      return acknowledged.promise
    }
    await using gateway = await startGateway({ log: () => ({ append }), config: { logAckTimeoutMs: 200 } })
    const bytesHeld = () => held.map(({ value }) => value?.length ?? 0)
    const body = requestOf(bigSpan(100_000))
    expect((await gateway.send('/v1/traces', { body })).status).toBe(503)
    expect(bytesHeld()).toEqual([expect.toSatisfy(bytes => bytes > 50_000)])
    const late = held.splice(0)
    acknowledged.resolve([])
    expect((await gateway.send('/v1/traces', { body })).status).toBe(200)
    expect(bytesHeld()).toEqual([0])
    // The log still has the record of the first attempt. The gateway cannot withdraw it after the timeout.
    expect(late[0]!.value!.length).toBeGreaterThan(50_000)
  })

  test('the gateway writes nothing for a client that disconnected before the write, because it will retry', async () => {
    await using gateway = await startGateway()
    const body = createSpanGenerator({ seed: 9, startTimeMs: Date.now(), spansPerRequest: 600 }).next().protobuf
    const req = request({
      port: gateway.port,
      path: '/v1/traces',
      method: 'POST',
      headers: { authorization: projectAuthorization, 'content-type': 'application/x-protobuf' },
    })
    req.on('error', () => {})
    // The body is so large that the gateway decodes it in a worker thread. The client disconnects while the thread works.
    gateway.server.once('request', incoming => incoming.once('end', () => req.destroy()))
    req.end(body)
    await new Promise(resolve => req.on('close', resolve))
    await waitFor(async () => (await gateway.metric('svc_gateway_requests_total', { code: 'aborted' })) === 1, { what: 'the abort' })
    expect(await gateway.batches('spans.direct')).toEqual([])
    expect(await gateway.metric('svc_gateway_inflight_bytes')).toBe(0)
  })
})

describe('F02 · the log does not respond', () => {
  test('requests get 503 with Retry-After while the log is down, and 200 without a restart once it is back', async () => {
    let down = true
    const log = (real: EventLog) => ({
      append: (...args: Parameters<EventLog['append']>) =>
        down ? Promise.reject(new AppError('log_unavailable', 'No broker is reachable.')) : real.append(...args),
    })
    const health = createHealth()
    await using gateway = await startGateway({ log, deps: { health } })
    for (let i = 0; i < 50; i++) {
      const answer = await gateway.send('/v1/traces', { body: requestOf(span(), span()) })
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, expect.stringMatching(/^[12]$/)])
      expect(readStatus(answer)).toMatchObject({ code: 14 })
      expect(answer.headers['x-svc-route']).toBe('direct; reason=otel-behaviour')
    }
    expect(await gateway.metric('svc_gateway_rejected_total', { reason: 'log_unavailable' })).toBe(50)
    expect(await gateway.metric('svc_gateway_spans_total', { outcome: 'refused' })).toBe(100)
    expect(await gateway.metric('svc_gateway_inflight_bytes')).toBe(0)
    // The gateway stays ready. If no gateway were ready, the load balancer itself would respond, without Retry-After.
    expect((await health.evaluate('ready')).status).toBe(200)
    expect(gateway.logLines.filter(line => line.includes('log_unavailable'))).toHaveLength(1)
    down = false
    expect((await gateway.send('/v1/traces', { body: requestOf(span()) })).status).toBe(200)
  })

  test('a request whose append gets no response gets 503 in time, and its bytes stay reserved until the log releases them', async () => {
    const settled = Promise.withResolvers<never[]>()
    await using gateway = await startGateway({ config: { logAckTimeoutMs: 100 }, log: () => ({ append: () => settled.promise }) })
    const answer = await gateway.send('/v1/traces', { body: requestOf(span()) })
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, expect.stringMatching(/^[12]$/)])
    expect(await gateway.metric('svc_gateway_inflight_bytes')).toBeGreaterThan(0)
    settled.resolve([])
    await waitFor(async () => (await gateway.metric('svc_gateway_inflight_bytes')) === 0, { what: 'the bytes to be let go' })
  })

  test('a full topic gets 503 with Retry-After', async () => {
    await using gateway = await startGateway({ maxTopicBytes: MiB })
    const statuses: number[] = []
    for (let i = 0; i < 30 && statuses.at(-1) !== 503; i++) {
      const answer = await gateway.send('/v1/traces', { body: requestOf(bigSpan(200_000)) })
      statuses.push(answer.status)
      if (answer.status === 503) expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(2)
    }
    expect(statuses[0]).toBe(200)
    expect(statuses.at(-1)).toBe(503)
    expect(await gateway.metric('svc_gateway_rejected_total', { reason: 'log_full' })).toBe(1)
  })

  test('while the relational store is down, requests get 503, not 401', async () => {
    const authenticate = () => Promise.reject(new AppError('relational_unavailable', 'The relational store does not answer.'))
    await using gateway = await startGateway({ deps: { authenticate } })
    const answer = await gateway.send('/v1/traces', { body: requestOf(span()) })
    expect([answer.status, readStatus(answer).code]).toEqual([503, 14])
    expect(answer.headers['retry-after']).toBeDefined()
  })
})

test('F16 · start times out of range are rejected with their span and value; a missing time is not', async () => {
  await using gateway = await startGateway()
  const day = 86_400_000
  const body = requestOf(
    span({ startTimeUnixNano: 0n, endTimeUnixNano: 0n }),
    span({ startTimeUnixNano: nanoseconds(Date.now() - 4 * 365 * day) }),
    span({ startTimeUnixNano: nanoseconds(Date.UTC(2299, 0, 1)) }),
    span({ startTimeUnixNano: nanoseconds(Date.now() - 30 * 30 * day) }),
  )
  const answer = await gateway.send('/v1/traces', { body })
  const { partialSuccess } = decodeTraceResponse(answer.body)
  expect([answer.status, partialSuccess!.rejectedSpans]).toEqual([200, '2'])
  expect(partialSuccess!.errorMessage).toMatch(/span 1: .*20\d\d/)
  expect(await gateway.metric('svc_gateway_rejected_spans_total', { reason: 'start_time_range' })).toBe(2)
  const [written] = await gateway.batches('spans.direct')
  expect(written!.batch.spanCount).toBe(2)
})

test('F30 · a logs export on the traces path is rejected span by span, with a message that mentions logs', async () => {
  await using gateway = await startGateway()
  // A LogRecord has the fields time_unix_nano (1, fixed64), severity_number (2) and body (5).
  const record = Buffer.from('0900000000000000011009', 'hex')
  const field = (tag: number, content: Buffer) => Buffer.concat([Buffer.from([tag, content.length]), content])
  const body = field(0x0a, field(0x12, Buffer.concat([field(0x12, record), field(0x12, record)])))
  const answer = await gateway.send('/v1/traces', { body })
  const { partialSuccess } = decodeTraceResponse(answer.body)
  expect([answer.status, partialSuccess!.rejectedSpans]).toEqual([200, '2'])
  expect(partialSuccess!.errorMessage).toContain('log')
  expect(await gateway.batches('spans.direct')).toEqual([])
})

test('F31 · a batch that is sent three times is on the log three times with identical payloads', async () => {
  await using gateway = await startGateway()
  const body = gzipSync(requestOf(span(), span()))
  for (let i = 0; i < 3; i++) {
    expect((await gateway.send('/v1/traces', { body, headers: { 'content-encoding': 'gzip' } })).status).toBe(200)
  }
  const payloads = (await gateway.batches('spans.direct')).map(({ batch }) => Buffer.from(batch.payload).toString('hex'))
  expect(payloads).toEqual(Array(3).fill(body.toString('hex')))
})

test('F39 · a blocked logger output stops no request', async () => {
  const logger = createLogger({ service: 'gateway', level: 'info', destination: new Writable({ highWaterMark: 1, write: () => {} }) })
  await using gateway = await startGateway({ deps: { logger } })
  for (let i = 0; i < 200; i++) {
    expect((await gateway.send('/v1/traces', { headers: { authorization: null } })).status).toBe(401)
    expect((await gateway.send('/v1/traces', { body: requestOf(span()) })).status).toBe(200)
  }
})

test('F40 · at ten times the capacity, accepted requests are on the log once and the others get 429 with Retry-After', async () => {
  const open = Promise.withResolvers<void>()
  const log = (real: EventLog) => ({
    append: (...args: Parameters<EventLog['append']>) => open.promise.then(() => real.append(...args)),
  })
  const config = { maxBodyBytes: MiB, maxInflightBytes: 8 * MiB, maxInflightBytesPerProject: 4 * MiB }
  await using gateway = await startGateway({ config, log })
  const statuses: number[] = []
  const all = Array.from({ length: 200 }, async () => {
    const body = requestOf(span({ attributes: [{ key: 'input', value: { bytesValue: randomBytes(200_000) } }] }))
    const answer = await gateway.send('/v1/traces', { body })
    if (answer.status !== 200) expect([answer.status, Number(answer.headers['retry-after']) >= 1]).toEqual([429, true])
    statuses.push(answer.status)
  })
  // The bodies cannot be compressed, so the limit on bytes allows only 20 requests at once. These requests wait for the log. The test lets
  // the log accept records only after the gateway has refused the other 180 requests.
  await waitFor(() => statuses.length === 180, { what: 'the refusals' })
  expect(statuses.every(status => status === 429)).toBe(true)
  expect(await gateway.metric('svc_gateway_inflight_bytes')).toBeLessThanOrEqual(4 * MiB)
  open.resolve()
  await Promise.all(all)
  expect(statuses.filter(status => status === 200)).toHaveLength(20)
  expect(await gateway.batches('spans.direct')).toHaveLength(20)
  expect(await gateway.metric('svc_gateway_inflight_bytes')).toBe(0)
  expect((await gateway.send('/v1/traces', { body: requestOf(span()) })).status).toBe(200)
})

describe('records', () => {
  test('a request above the record limit is cut between spans into several records', async () => {
    await using gateway = await startGateway()
    const body = requestOf(...Array.from({ length: 5 }, () => bigSpan(3 * MiB)))
    expect((await gateway.send('/v1/traces', { body })).status).toBe(200)
    const written = await gateway.batches('spans.direct')
    expect(written.length).toBeGreaterThan(1)
    expect(written.reduce((sum, { batch }) => sum + batch.spanCount, 0)).toBe(5)
    for (const { record } of written) expect(record.value!.length).toBeLessThanOrEqual(8 * MiB)
    expect(new Set(written.map(({ batch }) => batch.ingestId)).size).toBe(1)
  })

  test.each(['4', '3'])('a span that fits no record is rejected with its size, and its siblings are stored (version %s)', async version => {
    await using gateway = await startGateway()
    const body = requestOf(span(), bigSpan(12 * MiB), span())
    const answer = await gateway.send('/v1/traces', { body, headers: { 'x-svc-ingestion-version': version } })
    const { partialSuccess } = decodeTraceResponse(answer.body)
    expect([answer.status, partialSuccess!.rejectedSpans]).toEqual([200, '1'])
    expect(partialSuccess!.errorMessage).toMatch(/span 1: The span has 1258\d{4} bytes/)
    const written = await gateway.batches(version === '4' ? 'spans.direct' : 'spans.staging')
    expect(written.reduce((sum, { batch }) => sum + batch.spanCount, 0)).toBe(2)
  })

  test('a large span is stored if its compressed form fits a record', async () => {
    await using gateway = await startGateway()
    const text = 'The quick brown fox. '.repeat(500_000)
    const body = requestOf(span(), span({ attributes: [{ key: 'input', value: { stringValue: text } }] }), bigSpan(7 * MiB))
    const answer = await gateway.send('/v1/traces', { body })
    expect([answer.status, answer.body.length]).toEqual([200, 0])
    const written = await gateway.batches('spans.direct')
    expect(written.reduce((sum, { batch }) => sum + batch.spanCount, 0)).toBe(3)
  })
})

describe('shutdown and defects', () => {
  test('drain finishes requests in flight, refuses new ones with 503 and closes connections', async () => {
    const acknowledged = Promise.withResolvers<void>()
    const log = (real: EventLog) => ({
      append: (...args: Parameters<EventLog['append']>) => acknowledged.promise.then(() => real.append(...args)),
    })
    await using gateway = await startGateway({ log })
    const inFlight = gateway.send('/v1/traces', { body: requestOf(span()) })
    await waitFor(async () => (await gateway.metric('svc_gateway_inflight_requests')) === 1, { what: 'the request' })
    let drained = false
    const draining = gateway.gateway.drain().then(() => (drained = true))
    const late = await gateway.send('/v1/traces', { body: requestOf(span()) })
    expect([late.status, late.headers.connection]).toEqual([503, 'close'])
    expect(late.headers['retry-after']).toBeDefined()
    expect((await gateway.send('/api/public/ready', { method: 'GET' })).status).toBe(500)
    expect(drained).toBe(false)
    acknowledged.resolve()
    const finished = await inFlight
    expect([finished.status, finished.headers.connection]).toEqual([200, 'close'])
    await draining
    expect(await gateway.batches('spans.direct')).toHaveLength(1)
  })

  test('a defect fails its own request with 500 and is logged and counted; other requests and the process continue', async () => {
    let broken = true
    const authenticate = async () => {
      if (broken) throw new TypeError('x is not a function')
      return { accessLevel: 'project', orgId: 'o', projectId: 'p', apiKeyId: 'k', publicKey: 'pk' } as const
    }
    await using gateway = await startGateway({ deps: { authenticate } })
    const answer = await sendTo(gateway.port, '/v1/traces', { body: requestOf(span()) })
    expect([answer.status, readStatus(answer).code]).toEqual([500, 13])
    expect(readStatus(answer).message).not.toContain('x is not a function')
    expect(gateway.bugs).toEqual([expect.stringMatching(/x is not a function.*faults\.test\.ts/s)])
    expect(await gateway.metric('svc_gateway_defects_total', { state: 'own' })).toBe(1)
    expect(gateway.broken).toEqual([])
    broken = false
    expect((await gateway.send('/v1/traces', { body: requestOf(span()) })).status).toBe(200)
  })

  test.each([
    [
      'at once',
      () => (): never => {
        throw new TypeError('y is undefined')
      },
    ],
    ['later', () => () => Promise.reject(new TypeError('y is undefined'))],
  ])('a defect in the shared log that throws %s causes a 500 and an orderly shutdown', async (_, append) => {
    await using gateway = await startGateway({ log: () => ({ append: append() }) })
    const answer = await gateway.send('/v1/traces', { body: requestOf(span()) })
    expect([answer.status, readStatus(answer).code]).toEqual([500, 13])
    expect(gateway.broken).toMatchObject([{ cause: { message: 'y is undefined' } }])
    expect(await gateway.metric('svc_gateway_defects_total', { state: 'shared' })).toBe(1)
    expect(await gateway.metric('svc_gateway_inflight_bytes')).toBe(0)
  })
})
