import { context, ROOT_CONTEXT, type SpanContext, SpanStatusCode, trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { SvcSpanProcessor } from '@svc/otel'
import { describe, expect, test, vi } from 'vitest'
import * as tracing from '../src/index.ts'
import { createObservationAttributes, startActiveObservation, startObservation, updateActiveObservation } from '../src/index.ts'
import { attributesOf, ended, failing, only, provider, recordObservations } from './recorded.ts'

recordObservations()
const types = ['span', 'generation', 'event', 'embedding', 'agent', 'tool', 'chain', 'retriever', 'evaluator', 'guardrail'] as const

test('what is exported is what the sheet says, and nothing that was removed', () => {
  expect(Object.keys(tracing).sort()).toEqual(
    [
      ...['SvcAgent', 'SvcChain', 'SvcEmbedding', 'SvcEvaluator', 'SvcEvent', 'SvcGeneration', 'SvcGuardrail', 'SvcOtelSpanAttributes'],
      ...['SvcRetriever', 'SvcSpan', 'SvcTool', 'createObservationAttributes', 'createTraceId', 'getActiveSpanId', 'getActiveTraceId'],
      ...['getSvcTracer', 'getSvcTracerProvider', 'observe', 'propagateAttributes', 'setActiveTraceAsPublic', 'setSvcTracerProvider'],
      ...['startActiveObservation', 'startObservation', 'updateActiveObservation'],
    ].sort(),
  )
})

describe('an observation', () => {
  test.each(types)('of type %s', type => {
    const observation = startObservation('work', { input: 'in', metadata: { n: 3 } }, { asType: type })
    observation.end()
    expect(observation.constructor.name).toBe(`Svc${type[0]!.toUpperCase()}${type.slice(1)}`)
    expect(attributesOf(only())).toEqual({ 'svc.observation.type': type, 'svc.observation.input': 'in', 'svc.observation.metadata.n': '3' })
    expect(only().instrumentationScope).toMatchObject({ name: 'svc-sdk', version: '6.0.0' })
    expect([observation.id, observation.traceId]).toEqual([only().spanContext().spanId, only().spanContext().traceId])
    expect('update' in observation).toBe(type !== 'event')
  })

  test('is updated key by key and ends once', () => {
    const span = startObservation('work')
    span
      .update({ input: { a: 1 } })
      .update({ output: [1], level: 'WARNING', statusMessage: 'slow', version: 'v', environment: 'e' })
      .setTraceAsPublic()
    span.end(new Date(Date.now() + 1000))
    span.end()
    expect(attributesOf(only())).toEqual({
      'svc.observation.type': 'span',
      'svc.observation.input': '{"a":1}',
      'svc.observation.output': '[1]',
      'svc.observation.level': 'WARNING',
      'svc.observation.status_message': 'slow',
      'svc.version': 'v',
      'svc.environment': 'e',
      'svc.trace.public': true,
    })
    expect(span).not.toHaveProperty('setTraceIO')
  })

  test('can have children after it has ended', () => {
    const parent = startObservation('parent')
    parent.end()
    const child = parent.startObservation('child', { model: 'm' }, { asType: 'generation' })
    child.end()
    const [first, second] = ended()
    expect(second!.parentSpanContext?.spanId).toBe(first!.spanContext().spanId)
    expect(second!.attributes['svc.observation.model.name']).toBe('m')
  })

  test('continues a trace', () => {
    const parentSpanContext: SpanContext = { traceId: 'ab'.repeat(16), spanId: '01'.repeat(8), traceFlags: 1 }
    startObservation('work', {}, { parentSpanContext, startTime: new Date(1000) }).end()
    expect(only()).toMatchObject({ parentSpanContext: { spanId: '01'.repeat(8) }, startTime: [1, 0] })
    expect(only().spanContext().traceId).toBe('ab'.repeat(16))
  })

  test('that is an event ends at its time', () => {
    startObservation('now', undefined, { asType: 'event', startTime: new Date(5000) })
    expect(only()).toMatchObject({ startTime: [5, 0], endTime: [5, 0] })
  })
})

describe('attributes', () => {
  test('of a generation', () => {
    const completionStartTime = new Date(0)
    const attributes = createObservationAttributes('generation', {
      model: 'm',
      modelParameters: { temperature: 0.5 },
      usageDetails: { input: 1, output: 2 },
      costDetails: { total: 0.1 },
      completionStartTime,
      prompt: { name: 'p', version: 2 },
    })
    expect(attributes).toEqual({
      'svc.observation.type': 'generation',
      'svc.observation.model.name': 'm',
      'svc.observation.model.parameters': '{"temperature":0.5}',
      'svc.observation.usage_details': '{"input":1,"output":2}',
      'svc.observation.cost_details': '{"total":0.1}',
      'svc.observation.completion_start_time': `"${completionStartTime.toISOString()}"`,
      'svc.observation.prompt.name': 'p',
      'svc.observation.prompt.version': 2,
    })
    expect(createObservationAttributes('generation', { prompt: { name: 'p', version: 2, isFallback: true } })).toEqual({
      'svc.observation.type': 'generation',
    })
  })

  test('of metadata keep the types of their values', () => {
    const metadata = { text: '3', number: 3, flag: false, empty: '', nothing: null, deep: { a: { b: 0 } }, list: [1], time: new Date(0) }
    expect(createObservationAttributes('span', { metadata })).toEqual({
      'svc.observation.type': 'span',
      'svc.observation.metadata.text': '"3"',
      'svc.observation.metadata.number': '3',
      'svc.observation.metadata.flag': 'false',
      'svc.observation.metadata.empty': '""',
      'svc.observation.metadata.deep': '{"a":{"b":0}}',
      'svc.observation.metadata.list': '[1]',
      'svc.observation.metadata.time': `"${new Date(0).toISOString()}"`,
    })
    for (const bare of ['text', [1], 3]) {
      expect(createObservationAttributes('span', { metadata: bare })).toMatchObject({ 'svc.observation.metadata': JSON.stringify(bare) })
    }
  })

  test('leave space for required attributes', () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    const metadata = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k${at}`, at]))
    const span = startObservation('wide', { metadata })
    span.update({ input: 'in', output: 'out', level: 'ERROR', statusMessage: 's', version: 'v', environment: 'e' })
    span.end()
    expect(only().attributes).toMatchObject({ 'svc.observation.output': 'out', 'svc.observation.level': 'ERROR', 'svc.environment': 'e' })
    expect(Object.keys(only().attributes)).toHaveLength(128)
    expect(warn).toHaveBeenCalledTimes(1)
  })
})

describe('an active observation', () => {
  test('is the parent of what starts in it, and ends with its function', async () => {
    const result = await startActiveObservation('outer', async outer => {
      startActiveObservation('inner', inner => {
        expect(inner.otelSpan).toBe(trace.getActiveSpan())
        expect([tracing.getActiveTraceId(), tracing.getActiveSpanId()]).toEqual([outer.traceId, inner.id])
      })
      await Promise.resolve()
      startObservation('late').end()
      return 7
    })
    expect(result).toBe(7)
    expect(ended().map(({ name }) => name)).toEqual(['inner', 'late', 'outer'])
    const [inner, late, outer] = ended()
    for (const child of [inner, late]) expect(child!.parentSpanContext?.spanId).toBe(outer!.spanContext().spanId)
    expect(ended().filter(({ attributes }) => attributes['svc.internal.is_app_root'])).toEqual([outer])
    expect([tracing.getActiveTraceId(), tracing.getActiveSpanId()]).toEqual([undefined, undefined])
  })

  test.each([
    ['throws', failing, 'broken'],
    ['rejects', async () => failing(), 'broken'],
    [
      'throws no error',
      () => {
        throw 'text'
      },
      'Unknown error',
    ],
  ])('that %s has the matching status', async (_, fn, message) => {
    await expect((async () => startActiveObservation('work', fn))()).rejects.toBeDefined()
    expect(only().status).toEqual({ code: SpanStatusCode.ERROR, message })
    expect(only().attributes).not.toHaveProperty('svc.observation.level')
  })

  test.each<() => unknown>([() => 1, async () => 1, failing])('stays open where that is asked for', async fn => {
    await (async () => startActiveObservation('work', fn, { endOnExit: false }))().catch(() => {})
    expect(ended()).toEqual([])
  })

  test('awaits a thenable once, and treats a generator as a value', async () => {
    let asked = 0
    const query: PromiseLike<number> = {
      // biome-ignore lint/suspicious/noThenProperty: the test needs an object with this method
      then: (onResult, onError) => {
        asked++
        expect(ended()).toEqual([])
        return Promise.resolve(5).then(onResult, onError)
      },
    }
    expect(await startActiveObservation('query', () => query)).toBe(5)
    expect(asked).toBe(1)
    expect(only().name).toBe('query')
    const bare = {
      // biome-ignore lint/suspicious/noThenProperty: the test needs an object with this method
      then(onResult: (value: number) => void): void {
        queueMicrotask(() => onResult(7))
      },
    }
    expect(await startActiveObservation('bare', () => bare as unknown as Promise<number>)).toBe(7)
    expect(ended()[1]!.name).toBe('bare')
    const stream = startActiveObservation('stream', function* () {
      yield 1
    })
    expect(ended()).toHaveLength(3)
    expect([...stream]).toEqual([1])
  })

  test('takes its parent from the caller', () => {
    const parentSpanContext: SpanContext = { traceId: 'ab'.repeat(16), spanId: '01'.repeat(8), traceFlags: 1 }
    startActiveObservation('work', generation => generation.update({ model: 'm' }), { parentSpanContext, asType: 'generation' })
    expect(only().spanContext().traceId).toBe('ab'.repeat(16))
  })

  test('without a provider, only runs the function', () => {
    tracing.setSvcTracerProvider(null)
    expect(startActiveObservation('work', () => trace.getActiveSpan()?.isRecording())).toBe(false)
    startObservation('work', { input: { toJSON: failing } }).update({ output: { toJSON: failing } })
  })
})

describe('the active span', () => {
  test('is updated, whichever library created it, and its type stays', () => {
    const span = provider().getTracer('svc-sdk.other').startSpan('foreign')
    context.with(trace.setSpan(ROOT_CONTEXT, span), () => {
      updateActiveObservation({ output: 1 })
      tracing.setActiveTraceAsPublic()
    })
    span.end()
    expect(attributesOf(span as unknown as ReadableSpan)).toEqual({ 'svc.observation.output': '1', 'svc.trace.public': true })
  })

  test('causes a warning when there is none', () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    updateActiveObservation({ output: 1 })
    tracing.setActiveTraceAsPublic()
    expect(warn).toHaveBeenCalledTimes(2)
  })
})

test('trace ids: 32 characters, the same for the same seed', async () => {
  expect(await tracing.createTraceId('order-7')).toBe(await tracing.createTraceId('order-7'))
  expect(await tracing.createTraceId('äö🚀')).toMatch(/^[0-9a-f]{32}$/)
  const random = [await tracing.createTraceId(), await tracing.createTraceId(''), await tracing.createTraceId('order-8')]
  for (const id of random) expect(id).toMatch(/^[0-9a-f]{32}$/)
  expect(new Set(random).size).toBe(3)
})

test('a provider that fails costs the observations, not the application', () => {
  const error = vi.spyOn(console, 'error').mockReturnValue()
  const before = tracing.getSvcTracerProvider()
  function getTracer(): never {
    throw new Error('no tracer')
  }
  tracing.setSvcTracerProvider({ getTracer })
  expect(tracing.observe((given: number) => given + 1)(1)).toBe(2)
  startObservation('a').startObservation('b').update({ input: 1 }).end()
  expect(error.mock.calls[0]![0]).toContain('the tracer provider fails')
  tracing.setSvcTracerProvider(before)
  error.mockRestore()
})

test('an isolated provider records alone, with the active span of others as the parent', () => {
  const globalExporter = new InMemorySpanExporter()
  const global = new BasicTracerProvider({
    spanProcessors: [new SvcSpanProcessor({ exporter: globalExporter, exportMode: 'immediate', shouldExportSpan: () => true })],
  })
  trace.setGlobalTracerProvider(global)
  try {
    const outer = trace.getTracer('http').startSpan('outer')
    context.with(trace.setSpan(ROOT_CONTEXT, outer), () => startObservation('inner').end())
    outer.end()
    expect(globalExporter.getFinishedSpans().map(({ name }) => name)).toEqual(['outer'])
    expect(only()).toMatchObject({ name: 'inner', parentSpanContext: { spanId: outer.spanContext().spanId } })
    tracing.setSvcTracerProvider(null)
    startObservation('global').end()
    expect(globalExporter.getFinishedSpans().map(({ name }) => name)).toEqual(['outer', 'global'])
  } finally {
    trace.disable()
  }
  expect(Object.getOwnPropertyDescriptor(globalThis, Symbol.for('svc'))).toMatchObject({
    writable: false,
    enumerable: false,
    configurable: false,
  })
})
