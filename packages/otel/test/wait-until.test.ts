// Some platforms freeze a process after its response. Spans must be sent before the platform freezes the process.
import { AsyncLocalStorage } from 'node:async_hooks'
import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { configureGlobalLogger, LogLevel, resetGlobalLogger } from '@svc/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SvcSpanProcessor, type SvcSpanProcessorParams } from '../src/index.ts'
import { Collector } from './collector.ts'

let collector: Collector
const processors: SvcSpanProcessor[] = []
beforeEach(async () => {
  configureGlobalLogger({ level: LogLevel.NONE })
  collector = await Collector.start()
})
afterEach(async () => {
  await Promise.all(processors.splice(0).map(processor => processor.shutdown()))
  await collector.close()
  resetGlobalLogger()
})

function tracing(params: SvcSpanProcessorParams) {
  const processor = new SvcSpanProcessor({ publicKey: 'pk', secretKey: 'sk', baseUrl: collector.url, flushInterval: 3600, ...params })
  processors.push(processor)
  return { processor, tracer: new BasicTracerProvider({ spanProcessors: [processor] }).getTracer('svc-sdk') }
}
const names = () => collector.accepted.map(({ name }) => name)

/**
 * Simulates a platform that freezes a process after its response. Before the freeze, the platform waits for the promises that `waitUntil`
 * received. Outside a request, `waitUntil` throws.
 */
class Platform {
  private readonly requests = new AsyncLocalStorage<Promise<unknown>[]>()
  readonly waitUntil = (work: Promise<unknown>): void => {
    const waiting = this.requests.getStore()
    if (!waiting) throw new Error('No request is being served.')
    waiting.push(work)
  }
  async serve(handler: () => Promise<Response>): Promise<{ body: string; held: number }> {
    const waiting: Promise<unknown>[] = []
    const response = await this.requests.run(waiting, handler)
    const body = await response.text()
    await Promise.all(waiting)
    return { body, held: waiting.length }
  }
}

type Tracer = ReturnType<typeof tracing>['tracer']

/** Returns a handler with a streamed response. The handler's span ends when the stream ends. */
const streaming = (tracer: Tracer) => async (): Promise<Response> => {
  const span = tracer.startSpan('answer')
  const pieces = ['a', 'b', 'c']
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = pieces.shift()
      if (piece !== undefined) return controller.enqueue(new TextEncoder().encode(piece))
      controller.close()
      span.end()
    },
  })
  return new Response(body)
}

describe('waitUntil of a platform (Next.js, Vercel, Workers)', () => {
  test('holds the process until the span of a stream has ended and was sent', async () => {
    const platform = new Platform()
    const { tracer } = tracing({ waitUntil: platform.waitUntil })
    expect(await platform.serve(streaming(tracer))).toEqual({ body: 'abc', held: 1 })
    // At this point, the platform has frozen the process.
    expect(names()).toEqual(['answer'])
  })

  test('holds each request for its own trace, until the last of its spans has ended', async () => {
    const platform = new Platform()
    const { tracer } = tracing({ waitUntil: platform.waitUntil })
    const handler = (name: string) => async () => {
      const root = tracer.startSpan(name)
      queueMicrotask(() => root.end())
      const child = tracer.startSpan(`${name} late`, {}, trace.setSpan(ROOT_CONTEXT, root))
      setTimeout(() => child.end(), 20)
      return new Response(name)
    }
    const served = await Promise.all(['one', 'two'].map(name => platform.serve(handler(name))))
    expect(served).toEqual([
      { body: 'one', held: 1 },
      { body: 'two', held: 1 },
    ])
    expect(names().sort()).toEqual(['one', 'one late', 'two', 'two late'])
  })

  test('that throws, or is not called because no span is exported, does no harm', async () => {
    const platform = new Platform()
    const { processor, tracer } = tracing({ waitUntil: platform.waitUntil })
    tracer.startSpan('outside').end()
    const other = new BasicTracerProvider({ spanProcessors: [processor] }).getTracer('http')
    const { held } = await platform.serve(async () => {
      other.startSpan('GET').end()
      return new Response()
    })
    expect(held).toBe(0)
    await processor.forceFlush()
    expect(names()).toEqual(['outside'])
  })

  test('also ends when the server refuses a span', async () => {
    const platform = new Platform()
    const { tracer } = tracing({ waitUntil: platform.waitUntil })
    collector.status = () => 401
    await platform.serve(streaming(tracer))
    expect(names()).toEqual([])
    collector.status = () => 200
    await platform.serve(streaming(tracer))
    expect(names()).toEqual(['answer'])
  })
})

test('a function of Lambda has no waitUntil: it flushes before it returns, even after its own stream', async () => {
  const { processor, tracer } = tracing({ exportMode: 'immediate' })
  async function handler(_: object, responseStream: { write(text: string): void; end(): void }): Promise<void> {
    const span = tracer.startSpan('answer')
    for (const text of ['a', 'b']) responseStream.write(text)
    responseStream.end()
    span.end()
    await processor.forceFlush()
  }
  const written: string[] = []
  await handler({}, { write: text => written.push(text), end: () => written.push('.') })
  expect(written.join('')).toBe('ab.')
  expect(names()).toEqual(['answer'])
})
