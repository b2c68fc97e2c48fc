// No span may be lost, even if the server fails for a while. Each span must reach the server once.

import type { Tracer } from '@opentelemetry/api'
import { ExportResultCode } from '@opentelemetry/core'
import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { isTransient } from '../src/export/failure.ts'
import { Outbox } from '../src/export/outbox.ts'
import { SvcSpanProcessor, type SvcSpanProcessorParams } from '../src/index.ts'
import { LostSpans } from '../src/lost-spans.ts'
import { Collector } from './collector.ts'

let collector: Collector
let log: string[]
const processors: SvcSpanProcessor[] = []

beforeEach(async () => {
  collector = await Collector.start()
  log = []
  for (const level of ['warn', 'error', 'info'] as const) {
    vi.spyOn(console, level).mockImplementation((text: string) => {
      log.push(text.slice(text.indexOf('[Svc SDK]') + '[Svc SDK] '.length))
    })
  }
})
afterEach(async () => {
  collector.status = () => 200
  await Promise.all(processors.splice(0).map(processor => processor.shutdown()))
  await collector.close()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

function tracing(params: SvcSpanProcessorParams = {}): { processor: SvcSpanProcessor; tracer: Tracer } {
  // The time limit leaves no time for retries.
  const processor = new SvcSpanProcessor({ publicKey: 'pk', secretKey: 'sk', baseUrl: collector.url, timeout: 0.5, ...params })
  processors.push(processor)
  return { processor, tracer: new BasicTracerProvider({ spanProcessors: [processor] }).getTracer('svc-sdk') }
}

function endSpans(tracer: Tracer, count: number, prefix = 'span'): string[] {
  const names = Array.from({ length: count }, (_, at) => `${prefix}-${at}`)
  for (const name of names) tracer.startSpan(name).end()
  return names
}
const acceptedNames = () => collector.accepted.map(({ name }) => name)

describe('a request', () => {
  test('is compressed and carries keys and version', async () => {
    const { processor, tracer } = tracing()
    endSpans(tracer, 3)
    await processor.forceFlush()
    expect(acceptedNames()).toEqual(['span-0', 'span-1', 'span-2'])
    const [request] = collector.requests
    expect(request).toMatchObject({ method: 'POST', url: '/api/public/otel/v1/traces' })
    expect(request!.headers).toMatchObject({
      authorization: `Basic ${btoa('pk:sk')}`,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'x-svc-ingestion-version': '4',
      'x-svc-sdk-name': 'javascript',
      'x-svc-public-key': 'pk',
    })
  })

  test('follows the options', async () => {
    const { processor, tracer } = tracing({
      baseUrl: `${collector.url}/`,
      compression: 'none',
      flushAt: 5,
      additionalHeaders: { 'X-Svc-Ingestion-Version': '3', AUTHORIZATION: 'Bearer t' },
    })
    endSpans(tracer, 12)
    await processor.forceFlush()
    // The base URL ends with a slash. The exporter keeps this slash, so the path begins with two slashes.
    expect(new Set(collector.requests.map(({ url }) => url))).toEqual(new Set(['//api/public/otel/v1/traces']))
    expect(collector.requests.map(({ body }) => body.match(/"spanId"/g)!.length)).toEqual([5, 5, 2])
    expect(collector.requests[0]!.headers).toMatchObject({ 'x-svc-ingestion-version': '3', authorization: 'Bearer t' })
    expect(collector.requests[0]!.headers).not.toHaveProperty('content-encoding')
  })

  test('is made at once in immediate mode', async () => {
    const { tracer } = tracing({ exportMode: 'immediate' })
    endSpans(tracer, 1)
    await expect.poll(acceptedNames).toEqual(['span-0'])
  })

  test('without keys is also made, after a warning for each', async () => {
    const { processor, tracer } = tracing({ publicKey: undefined, secretKey: undefined })
    expect(log.filter(line => line.includes('span exports will fail'))).toHaveLength(2)
    collector.status = () => 401
    endSpans(tracer, 2)
    await processor.forceFlush()
    expect(collector.requests[0]!.headers).not.toHaveProperty('authorization')
    expect(log.filter(line => line.startsWith('[ERROR] 2 spans were lost'))).toHaveLength(1)
  })

  test('has every span of a burst that is larger than the queue of OpenTelemetry', async () => {
    const { processor, tracer } = tracing()
    const names = endSpans(tracer, 6000)
    await processor.forceFlush()
    expect(acceptedNames()).toEqual(names)
  })
})

describe('an outage', () => {
  const outages: readonly (readonly [string, () => void | Promise<void>, () => void | Promise<void>])[] = [
    ['refused connections', () => collector.close(), () => collector.open()],
    ['broken connections', () => void (collector.status = () => null), () => void (collector.status = () => 200)],
    ...[408, 429, 502, 503, 504].map(
      status => [`status ${status}`, () => void (collector.status = () => status), () => void (collector.status = () => 200)] as const,
    ),
  ]

  test.each(outages)('of %s delays spans and loses none', async (_, begin, end) => {
    const { tracer } = tracing({ flushAt: 50 })
    const before = endSpans(tracer, 50, 'before')
    await expect.poll(acceptedNames).toEqual(before)
    await begin()
    const during = endSpans(tracer, 1200, 'during')
    await expect.poll(() => log.filter(line => line.includes('cannot be reached')).length).toBe(1)
    await end()
    const after = endSpans(tracer, 50, 'after')
    await expect.poll(acceptedNames, { timeout: 15_000 }).toEqual([...before, ...during, ...after])
    expect(log.filter(line => line.includes('lost'))).toEqual([])
  })

  test('that ends while shutdown waits loses nothing', async () => {
    const { processor, tracer } = tracing({ exportMode: 'immediate' })
    await collector.close()
    const names = endSpans(tracer, 100)
    const stopped = processor.shutdown()
    await expect.poll(() => log.length).toBeGreaterThan(0)
    await collector.open()
    await stopped
    expect(acceptedNames()).toEqual(names)
  })

  test.each([400, 401, 403, 413, 500])('is not what status %i is: the batch goes with an error, later ones arrive', async status => {
    const { processor, tracer } = tracing({ flushAt: 10 })
    collector.status = () => (collector.requests.length === 1 ? status : 200)
    endSpans(tracer, 30)
    await processor.forceFlush()
    expect(acceptedNames()).toHaveLength(20)
    expect(collector.requests).toHaveLength(3)
    expect(log).toEqual([expect.stringMatching(new RegExp(`^\\[ERROR\\] 10 spans were lost: .*status ${status}`))])
  })
})

describe('the outbox', () => {
  const spans = (count: number): ReadableSpan[] => {
    const exporter = new InMemorySpanExporter()
    const provider = new BasicTracerProvider({ spanProcessors: [new SvcSpanProcessor({ exporter, exportMode: 'immediate' })] })
    endSpans(provider.getTracer('svc-sdk'), count)
    return exporter.getFinishedSpans()
  }
  class FaultyExporter implements SpanExporter {
    isDown = true
    readonly delivered: ReadableSpan[][] = []
    export(batch: ReadableSpan[], callback: Parameters<SpanExporter['export']>[1]): void {
      if (!this.isDown) this.delivered.push(batch)
      callback(this.isDown ? { code: ExportResultCode.FAILED, error: new Error('refused') } : { code: ExportResultCode.SUCCESS })
    }
    async shutdown(): Promise<void> {}
  }
  function outboxOf(exporter: SpanExporter, settings: Partial<ConstructorParameters<typeof Outbox>[0]> = {}): Outbox {
    return new Outbox({
      exporter,
      lost: new LostSpans(),
      maxBatchSpans: 10,
      maxBatchBytes: 10_000,
      maxKeptSpans: 100,
      maxKeptBytes: 10_000,
      flushTimeoutMs: 20,
      shutdownTimeoutMs: 20,
      ...settings,
    })
  }
  const size = 'span-10'.length + 'svc.internal.is_app_root'.length
  const names = (of: readonly ReadableSpan[]) => of.map(({ name }) => name)

  test.each([
    ['number', { maxKeptSpans: 20 }, 20],
    ['bytes', { maxKeptBytes: size * 20 + 3 }, 20],
  ])('drops the oldest beyond its bound by %s and counts them in one line', async (_, bound, left) => {
    const exporter = new FaultyExporter()
    const outbox = outboxOf(exporter, { ...bound, flushTimeoutMs: 10_000 })
    const given = spans(100).slice(10)
    for (const span of given) outbox.export([span], () => {})
    exporter.isDown = false
    await outbox.forceFlush()
    expect(names(exporter.delivered.flat())).toEqual(names(given.slice(-left)))
    expect(log.filter(line => line.includes('lost'))).toEqual([
      `[WARN] ${90 - left} spans were lost: the buffer was full, because the server could not be reached or was too slow.`,
    ])
  })

  test('ends its waits in time, and counts the spans left at shutdown', async () => {
    const outbox = outboxOf(new FaultyExporter())
    outbox.export(spans(5), () => {})
    await outbox.forceFlush()
    expect(log.at(-1)).toMatch(/^\[ERROR\] 5 spans are not delivered yet/)
    await outbox.shutdown()
    expect(log.at(-1)).toBe('[WARN] 5 spans were lost: the server could not be reached until shutdown.')
    outbox.export(spans(2), () => {})
    await outbox.forceFlush()
    expect(log.at(-1)).toBe('[WARN] 2 spans were lost: they ended after shutdown.')
  })

  test('divides a batch that is too large for a request, and drops a single span that is', async () => {
    const exporter = new FaultyExporter()
    exporter.isDown = false
    const outbox = outboxOf(exporter, { maxBatchBytes: size * 3 })
    const given = spans(17).slice(10)
    const [large] = spans(1)
    large!.attributes['svc.observation.input'] = 'secret'.repeat(10)
    outbox.export([...given, large!], () => {})
    await outbox.forceFlush()
    expect(exporter.delivered.map(batch => batch.length)).toEqual([3, 3, 1])
    expect(log).toEqual([expect.stringMatching(new RegExp(`^\\[WARN\\] Dropped a batch of 1 span.*limit is ${size * 3}`))])
    expect(log[0]).not.toContain('secret')
  })
})

test.each([
  [{ code: 503 }, true],
  [{ code: 408 }, true],
  [{ code: 400 }, false],
  [{ code: 'ECONNREFUSED' }, true],
  [{ code: 'ERR_INVALID_URL' }, false],
  [new Error('Request timed out'), true],
  [new Error('Export failed with retryable status'), true],
  [new Error('Fetch request failed with non-retryable status 403'), false],
  [new Error('Fetch request failed with non-retryable status 408'), true],
  [new Error('OTLP export response body exceeded size limit of 1 bytes'), false],
  [undefined, true],
])('a retry may help after %o: %s', (error, isMended) => expect(isTransient(error)).toBe(isMended))

test('an exporter of the application stays unchanged, and spans that fail or exceed its queue are counted', async () => {
  vi.stubEnv('OTEL_BSP_MAX_QUEUE_SIZE', '10')
  const failing: SpanExporter = {
    export: (_, callback) => callback({ code: ExportResultCode.FAILED, error: new Error('full') }),
    shutdown: async () => {},
  }
  const { processor, tracer } = tracing({ exporter: failing, flushAt: 10 })
  endSpans(tracer, 25)
  await processor.forceFlush().catch(() => {})
  await processor.shutdown()
  expect(log.sort()).toEqual([
    '[WARN] 20 spans were lost: the exporter failed.',
    '[WARN] 5 spans were lost: the queue of the batch processor was full.',
  ])
  expect(collector.requests).toEqual([])
})
