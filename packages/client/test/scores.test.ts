import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { type CreateScoreRequest, configureGlobalLogger, LogLevel } from '@svc/core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { SvcClient } from '../src/index.ts'
import { type Answer, startService } from './server.ts'

beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()))
afterAll(() => context.disable())
const error = vi.spyOn(console, 'error')
const warn = vi.spyOn(console, 'warn')
beforeEach(() => {
  configureGlobalLogger({ level: LogLevel.WARN })
  vi.stubEnv('SVC_FLUSH_INTERVAL', '3600')
  error.mockReset().mockReturnValue()
  warn.mockReset().mockReturnValue()
})
afterEach(() => vi.unstubAllEnvs())

const accepted: Answer = () => ({ status: 202, json: { message: 'Accepted' } })

async function serving(answer: Answer = accepted, timeout?: number) {
  const service = await startService(answer)
  const client = new SvcClient({ publicKey: 'pk', secretKey: 'sk', baseUrl: service.url, timeout })
  const sent = (): CreateScoreRequest[] => service.received.flatMap(({ body }) => body as CreateScoreRequest[])
  return { service, client, score: client.score, sent }
}

test('a score is sent with an id, its environment and the time at which it was queued', async () => {
  vi.stubEnv('SVC_TRACING_ENVIRONMENT', 'test')
  const { service, client, sent } = await serving()
  const before = new Date().toISOString()
  client.score.create({ name: 'a', value: 1, traceId: 't', metadata: { deep: [1] } })
  const after = new Date().toISOString()
  client.score.create({ id: 'own', name: 'b', value: '', environment: 'mine', dataType: 'CATEGORICAL' })
  await client.flush()
  expect(service.received.map(({ call }) => call)).toEqual(['POST /api/public/scores'])
  const [first, second] = sent()
  expect(first).toEqual({
    ...{ name: 'a', value: 1, traceId: 't', metadata: { deep: [1] }, environment: 'test' },
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  })
  expect(first!.timestamp! >= before && first!.timestamp! <= after).toBe(true)
  expect(second).toMatchObject({ id: 'own', environment: 'mine', value: '' })
})

test('scores of spans have the ids of the spans', async () => {
  const { score, sent } = await serving()
  const otelSpan = trace.wrapSpanContext({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 })
  score.observation({ otelSpan }, { name: 'o', value: 1 })
  score.trace({ otelSpan }, { name: 't', value: 1 })
  context.with(trace.setSpan(context.active(), otelSpan), () => {
    score.activeObservation({ name: 'ao', value: 1 })
    score.activeTrace({ name: 'at', value: 1 })
  })
  score.activeObservation({ name: 'none', value: 1 })
  score.activeTrace({ name: 'none', value: 1 })
  expect(warn).toHaveBeenCalledTimes(2)
  await score.flush()
  const ids = { traceId: 'a'.repeat(32), observationId: 'b'.repeat(16) }
  expect(sent().map(({ name, traceId, observationId }) => ({ name, traceId, observationId }))).toEqual([
    { name: 'o', ...ids },
    { name: 't', traceId: ids.traceId },
    { name: 'ao', ...ids },
    { name: 'at', traceId: ids.traceId },
  ])
})

const cycle: Record<string, unknown> = {}
cycle['self'] = cycle

test.each([
  undefined,
  null,
  'text',
  { value: 1 },
  { name: '', value: 1 },
  { name: 1, value: 1 },
  { name: 'a' },
  { name: 'a', value: null },
  { name: 'a', value: true },
  { name: 'a', value: Number.NaN },
  { name: 'a', value: Number.POSITIVE_INFINITY },
  { name: 'a', value: 1, metadata: cycle },
  { name: 'a', value: 1, metadata: { big: 1n } },
])('%o is logged once and dropped, and the others go', async data => {
  const { score, sent } = await serving()
  score.create(data as never)
  expect(error).toHaveBeenCalledTimes(1)
  score.observation({ otelSpan: trace.wrapSpanContext({ traceId: 't', spanId: 's', traceFlags: 1 }) }, data as never)
  expect(error).toHaveBeenCalledTimes(2)
  score.create({ name: 'good', value: 0 })
  await score.flush()
  expect(sent().map(({ name }) => name)).toEqual(['good'])
})

test.each([undefined, null, {}, { otelSpan: null }])('a score of %o instead of a span is logged and dropped', async of => {
  const { score } = await serving()
  score.observation(of as never, { name: 'a', value: 1 })
  score.trace(of as never, { name: 'a', value: 1 })
  expect(error).toHaveBeenCalledTimes(2)
})

test('a value that cannot be written as JSON does not throw at the debug level either', async () => {
  configureGlobalLogger({ level: LogLevel.DEBUG })
  vi.spyOn(console, 'debug').mockReturnValue()
  const { score, sent } = await serving()
  score.create({ name: 'a', value: 1, metadata: cycle })
  score.create({ name: 'b', value: 1 })
  await score.flush()
  expect(sent().map(({ name }) => name)).toEqual(['b'])
})

describe('sending', () => {
  test('batches have at most 100 scores', async () => {
    vi.stubEnv('SVC_FLUSH_AT', '1000')
    const { service, score, sent } = await serving()
    for (let at = 0; at < 250; at++) score.create({ name: `s${at}`, value: at })
    await score.flush()
    expect(service.received.map(({ body }) => (body as unknown[]).length).sort()).toEqual([100, 100, 50])
    expect(new Set(sent().map(({ name }) => name)).size).toBe(250)
  })

  test('ten queued scores are sent at once', async () => {
    const { service, score } = await serving()
    for (let at = 0; at < 9; at++) score.create({ name: 'a', value: at })
    expect(service.received).toHaveLength(0)
    score.create({ name: 'a', value: 9 })
    await expect.poll(() => service.received.length).toBe(1)
  })

  test('fewer are sent after the interval', async () => {
    vi.stubEnv('SVC_FLUSH_INTERVAL', '0.02')
    const { service, score } = await serving()
    score.create({ name: 'a', value: 1 })
    await expect.poll(() => service.received.length).toBe(1)
  })

  test('a flush waits for what is queued while it runs', async () => {
    let release = (): void => undefined
    const held = new Promise<void>(resolve => (release = resolve))
    const { score, service, sent } = await serving(async request => {
      if ((request.body as CreateScoreRequest[])[0]!.name === 'first') await held
      return accepted(request)
    })
    score.create({ name: 'first', value: 1 })
    const flushed = [score.flush(), score.shutdown()]
    await expect.poll(() => service.received.length).toBe(1)
    score.create({ name: 'second', value: 1 })
    const third = score.flush()
    release()
    await Promise.all([...flushed, third])
    expect(sent().map(({ name }) => name)).toEqual(['first', 'second'])
    await score.flush()
    expect(service.received).toHaveLength(2)
  })

  test('a partial rejection is one log line, and nothing is resent', async () => {
    const errors = [{ message: 'bad: no such config', index: 1 }]
    const { service, score } = await serving(() => ({ status: 207, json: { accepted: 1, rejected: 1, errors } }))
    score.create({ name: 'good', value: 1 })
    score.create({ name: 'bad', value: 1 })
    await score.flush()
    expect(error).toHaveBeenCalledTimes(1)
    expect(error.mock.calls[0]![0]).toContain('1 of 2')
    expect(error.mock.calls[0]![0]).toContain('no such config')
    expect(service.received).toHaveLength(1)
  })

  test('a batch that fails is logged and dropped; the next one goes', async () => {
    const { service, score } = await serving(request => (service.received.length === 1 ? { status: 400, json: {} } : accepted(request)))
    score.create({ name: 'a', value: 1 })
    await score.flush()
    expect(error).toHaveBeenCalledTimes(1)
    score.create({ name: 'b', value: 1 })
    await score.flush()
    expect(service.received).toHaveLength(2)
    expect(error).toHaveBeenCalledTimes(1)
  })

  test('a time-out is retried once', async () => {
    const { service, score } = await serving(request => (service.received.length === 1 ? null : accepted(request)), 2)
    score.create({ name: 'a', value: 1 })
    await score.flush()
    expect(service.received).toHaveLength(2)
    expect(service.received[0]!.body).toEqual(service.received[1]!.body)
    expect(error).not.toHaveBeenCalled()
  })

  test('scores beyond 100,000 queued ones are dropped', async () => {
    vi.stubEnv('SVC_FLUSH_AT', '1000000')
    const { score } = await serving()
    for (let at = 0; at <= 100_000; at++) score.create({ name: 'a', value: at })
    expect(error).toHaveBeenCalledTimes(1)
  })

  test.each(['SVC_FLUSH_AT', 'SVC_FLUSH_INTERVAL'])('a %s that is not a number causes a warning that names it', async name => {
    vi.stubEnv(name, 'soon')
    await serving()
    expect(warn.mock.calls.map(([line]) => line)).toEqual([expect.stringContaining(name)])
  })
})
