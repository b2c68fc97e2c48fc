// Tests how the span processor changes spans before the application's exporter gets them.
import { type Span as ApiSpan, context, propagation, ROOT_CONTEXT, TraceFlags, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan, type Span } from '@opentelemetry/sdk-trace-base'
import { configureGlobalLogger, LogLevel, propagateAttributes, SvcMedia, setSvcTraceIdInBaggage } from '@svc/core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { isDefaultExportSpan, isKnownLLMInstrumentor, KNOWN_LLM_INSTRUMENTATION_SCOPE_PREFIXES } from '../src/index.ts'
import { SvcSpanProcessor, type SvcSpanProcessorParams } from '../src/span-processor.ts'
import { Collector } from './collector.ts'

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
})
afterAll(() => context.disable())
beforeEach(() => {
  configureGlobalLogger({ level: LogLevel.WARN })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

interface Tracing {
  readonly exporter: InMemorySpanExporter
  readonly processor: SvcSpanProcessor
  start(
    name: string,
    options?: { scope?: string; attributes?: Record<string, string>; parent?: ApiSpan; at?: typeof ROOT_CONTEXT },
  ): ApiSpan
  exported(): Promise<Record<string, ReadableSpan>>
}

function tracing(params: SvcSpanProcessorParams = {}): Tracing {
  const exporter = new InMemorySpanExporter()
  const processor = new SvcSpanProcessor({ exporter, mediaUploadEnabled: false, ...params })
  const provider = new BasicTracerProvider({ spanProcessors: [processor] })
  return {
    exporter,
    processor,
    start: (name, { scope = 'svc-sdk', attributes = {}, parent, at = context.active() } = {}) =>
      provider.getTracer(scope).startSpan(name, { attributes }, parent ? trace.setSpan(at, parent) : at),
    async exported() {
      await processor.forceFlush()
      return Object.fromEntries(exporter.getFinishedSpans().map(span => [span.name, span]))
    },
  }
}

const marks = (spans: Record<string, ReadableSpan>) =>
  Object.entries(spans)
    .filter(([, { attributes }]) => attributes['svc.internal.is_app_root'] === true)
    .map(([name]) => name)
    .sort()

describe('a span that starts', () => {
  test('gets environment and release, and what the context propagates over them', async () => {
    vi.stubEnv('SVC_RELEASE', 'v1')
    const { start, exported } = tracing({ environment: 'staging' })
    start('plain').end()
    propagateAttributes({ userId: 'u', environment: 'prod' }, () => start('inside').end())
    propagateAttributes({ environment: 'prod' }, () => start('own', { attributes: { 'svc.environment': 'mine' } }).end())
    const spans = await exported()
    expect(spans['plain']!.attributes).toMatchObject({ 'svc.environment': 'staging', 'svc.release': 'v1' })
    expect(spans['inside']!.attributes).toMatchObject({ 'svc.environment': 'prod', 'svc.release': 'v1', 'user.id': 'u' })
    expect(spans['own']!.attributes).toMatchObject({ 'svc.environment': 'mine' })
  })

  test('keeps a prompt that it was created with', async () => {
    const { start, exported } = tracing()
    propagateAttributes({ prompt: { name: 'p', version: 2 } }, () => {
      start('plain').end()
      start('own', { attributes: { 'svc.observation.prompt.name': 'q' } }).end()
    })
    const spans = await exported()
    expect(spans['plain']!.attributes).toMatchObject({ 'svc.observation.prompt.name': 'p', 'svc.observation.prompt.version': 2 })
    expect(spans['own']!.attributes['svc.observation.prompt.name']).toBe('q')
    expect(spans['own']!.attributes).not.toHaveProperty('svc.observation.prompt.version')
  })
})

describe('the mark of an application root', () => {
  test('is on each exported span below one that is not', async () => {
    const { start, exported } = tracing()
    const http = start('http', { scope: 'http' })
    const [first, second] = [start('first', { parent: http }), start('second', { parent: http })]
    start('child', { parent: first }).end()
    for (const span of [first, second, http]) span.end()
    start('late', { parent: first }).end()
    const spans = await exported()
    expect(Object.keys(spans).sort()).toEqual(['child', 'first', 'late', 'second'])
    expect(marks(spans)).toEqual(['first', 'late', 'second'])
  })

  test('is not set when a caller has claimed this trace', async () => {
    const { start, exported } = tracing()
    const remote = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), traceFlags: TraceFlags.SAMPLED, isRemote: true }
    const at = trace.setSpanContext(ROOT_CONTEXT, remote)
    start('claimed', { at: setSvcTraceIdInBaggage(at, remote.traceId.toUpperCase()) }).end()
    start('foreign', { at: setSvcTraceIdInBaggage(at, 'ef'.repeat(16)) }).end()
    const spans = await exported()
    expect(marks(spans)).toEqual(['foreign'])
    expect(Object.keys(spans['claimed']!.attributes)).toEqual([])
    expect(propagation.getBaggage(at)).toBeUndefined()
  })

  test('is not set when the filter throws, and the span is dropped', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue()
    const { start, exported } = tracing({
      shouldExportSpan: () => {
        throw new Error('no')
      },
    })
    start('a').end()
    expect(await exported()).toEqual({})
    expect(error).toHaveBeenCalledTimes(1)
  })
})

describe('the filter', () => {
  test('knows 19 instrumentations, whole or up to a dot', async () => {
    expect(KNOWN_LLM_INSTRUMENTATION_SCOPE_PREFIXES).toHaveLength(19)
    const of = (name: string, attributes = {}) => ({ instrumentationScope: { name }, attributes }) as ReadableSpan
    const known = ['openinference', 'openinference.instrumentation.x', 'ai', 'vllm', 'opentelemetry.instrumentation.openai_v2']
    expect(known.map(name => isKnownLLMInstrumentor(of(name)))).toEqual(known.map(() => true))
    const unknown = ['ai.sdk', 'openinferences', 'opentelemetry.instrumentation.http', 'svc']
    expect(unknown.map(name => isDefaultExportSpan(of(name)))).toEqual(unknown.map(() => false))
    expect(isDefaultExportSpan(of('http', { 'gen_ai.system': 'x' }))).toBe(true)
    expect(isDefaultExportSpan(of('svc-sdk'))).toBe(true)
  })

  test('of the application replaces it; only false drops', async () => {
    const { start, exported } = tracing({ shouldExportSpan: ({ otelSpan }) => (otelSpan.name === 'no' ? false : (undefined as never)) })
    for (const name of ['yes', 'no']) start(name, { scope: 'http' }).end()
    expect(Object.keys(await exported())).toEqual(['yes'])
  })
})

describe('a mask', () => {
  const attributes = {
    'svc.observation.input': '{"q":"secret"}',
    'svc.observation.metadata.plan': '"secret"',
    'svc.observation.metadata.seats': '3',
    'svc.observation.metadata.raw': 'secret text',
    'svc.observation.metadata.gone': '"gone"',
    'svc.trace.metadata.kept': 'secret',
    'svc.observation.model.name': 'secret',
  }
  const expected = {
    'svc.observation.input': '{"q":"***"}',
    'svc.observation.metadata.plan': '"***"',
    'svc.observation.metadata.seats': '3',
    'svc.observation.metadata.raw': '*** text',
    'svc.trace.metadata.kept': 'secret',
    'svc.observation.model.name': 'secret',
    'svc.internal.is_app_root': true,
  }
  const mask = ({ data }: { data: unknown }) => {
    if (data === 'gone') return undefined
    return typeof data === 'string' ? data.replaceAll('secret', '***') : data
  }

  test.each([
    ['at once', mask],
    ['by a promise', async (given: { data: unknown }) => mask(given)],
  ])('replaces inputs, outputs and each metadata value, %s', async (_, each) => {
    const { start, exported } = tracing({ mask: each })
    start('a', { attributes }).end()
    expect((await exported())['a']!.attributes).toEqual(expected)
  })

  test.each([
    () => {
      throw new Error('no')
    },
    async () => Promise.reject(new Error('no')),
  ])('that throws lets no value pass', async failing => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    const { start, exported } = tracing({ mask: failing })
    start('a', { attributes }).end()
    const text = '<fully masked due to failed mask function>'
    const span = (await exported())['a']!
    expect(span.attributes['svc.observation.input']).toBe(text)
    expect(span.attributes['svc.observation.metadata.plan']).toBe(JSON.stringify(text))
    expect(warn).toHaveBeenCalled()
  })
})

describe('media', () => {
  let collector: Collector
  beforeEach(async () => {
    collector = await Collector.start()
    collector.reply = ({ body }) => JSON.stringify({ mediaId: JSON.parse(body).sha256Hash, uploadUrl: null })
  })
  afterEach(() => collector.close())
  const withMedia = () => tracing({ mediaUploadEnabled: true, baseUrl: collector.url, publicKey: 'pk', secretKey: 'sk' })
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const tagOf = (text: string, type: string, source: 'bytes' | 'base64_data_uri') =>
    new SvcMedia(
      source === 'bytes'
        ? { source, contentBytes: Buffer.from(text), contentType: type }
        : { source, base64DataUri: `data:${type};base64,${base64(text)}` },
    ).getTag()

  test('in inputs, outputs and metadata is replaced with tags and uploaded', async () => {
    const { start, exported } = withMedia()
    const [one, two] = [`data:image/png;base64,${base64('one')}`, `data:image/png;base64,${base64('one and more')}`]
    const span = start('a', {
      attributes: {
        'svc.observation.input': JSON.stringify({ text: 'data: see', one, again: one, two }),
        'svc.observation.metadata.doc': JSON.stringify(one),
        other: one,
      },
    })
    span.end()
    const { attributes } = (await exported())['a']!
    const [tag, longer] = [await tagOf('one', 'image/png', 'base64_data_uri'), await tagOf('one and more', 'image/png', 'base64_data_uri')]
    expect(JSON.parse(attributes['svc.observation.input'] as string)).toEqual({ text: 'data: see', one: tag, again: tag, two: longer })
    expect(attributes['svc.observation.metadata.doc']).toBe(JSON.stringify(tag))
    expect(attributes['other']).toBe(one)
    const asked = collector.requests.map(({ body }) => JSON.parse(body))
    expect(asked.map(({ field }) => field).sort()).toEqual(['input', 'input', 'metadata'])
    expect(asked[0]).toMatchObject({
      traceId: span.spanContext().traceId,
      observationId: span.spanContext().spanId,
      contentType: 'image/png',
    })
    expect(collector.requests[0]!.headers).toMatchObject({ authorization: `Basic ${btoa('pk:sk')}`, 'x-svc-sdk-name': 'javascript' })
  })

  test('in messages of the AI SDK is found by its type', async () => {
    const { start, exported } = withMedia()
    const file = { type: 'file', data: base64('pdf'), mediaType: 'application/pdf' }
    const link = { type: 'file', data: 'http://example.com/a.pdf', mediaType: 'application/pdf' }
    const text = { type: 'text', text: `see ${base64('pdf')}` }
    const blob = { type: 'blob', content: `data:image/png;base64,${base64('png')}`, mime_type: 'image/png' }
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    start('a', {
      scope: 'ai',
      attributes: {
        'ai.prompt.messages': JSON.stringify([{ role: 'user', content: [file, link, text] }]),
        'gen_ai.output.messages': JSON.stringify([{ parts: [blob] }]),
        'gen_ai.input.messages': 'not JSON',
      },
    }).end()
    const { attributes } = (await exported())['a']!
    const [pdf, png] = [await tagOf('pdf', 'application/pdf', 'bytes'), await tagOf('png', 'image/png', 'bytes')]
    expect(JSON.parse(attributes['ai.prompt.messages'] as string)[0].content).toEqual([{ ...file, data: pdf }, link, text])
    expect(JSON.parse(attributes['gen_ai.output.messages'] as string)[0].parts).toEqual([{ ...blob, content: png }])
    expect(attributes['gen_ai.input.messages']).toBe('not JSON')
    expect(warn).toHaveBeenCalledTimes(1)
  })

  test('stays when uploads are off, and a failed upload is an error in the log', async () => {
    vi.stubEnv('SVC_MEDIA_UPLOAD_ENABLED', 'False')
    const uri = `data:image/png;base64,${base64('one')}`
    const off = tracing({ mediaUploadEnabled: undefined })
    off.start('a', { attributes: { 'svc.observation.input': uri } }).end()
    expect((await off.exported())['a']!.attributes['svc.observation.input']).toBe(uri)
    const error = vi.spyOn(console, 'error').mockReturnValue()
    const on = withMedia()
    collector.status = () => 401
    on.start('a', { attributes: { 'svc.observation.input': uri } }).end()
    expect((await on.exported())['a']!.attributes['svc.observation.input']).toBe(await tagOf('one', 'image/png', 'base64_data_uri'))
    expect(error).toHaveBeenCalledTimes(1)
  })
})

test('a span of SDK 1, which has no scope, is counted as lost', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  const { processor, start, exported } = tracing()
  const span = Object.create(start('older'), { instrumentationScope: { value: undefined } }) as Span & ReadableSpan
  processor.onStart(span, ROOT_CONTEXT)
  processor.onEnd(span)
  expect(await exported()).toEqual({})
  expect(warn.mock.calls).toEqual([[expect.stringContaining('1 spans were lost: their tracer provider belongs to SDK 1 of OpenTelemetry')]])
})

test('at the level DEBUG, any span is logged', async () => {
  configureGlobalLogger({ level: LogLevel.DEBUG })
  const debug = vi.spyOn(console, 'debug').mockReturnValue()
  const { start, exported } = tracing()
  const span = start('a')
  const strange = {
    toJSON: () => {
      throw new Error('no')
    },
  }
  ;(span as unknown as ReadableSpan).attributes['strange'] = strange as never
  span.end()
  start('other', { scope: 'http' }).end()
  expect(Object.keys(await exported())).toEqual(['a'])
  expect(debug.mock.calls.map(([text]) => text)).toEqual([
    expect.stringContaining("'a' goes to the exporter"),
    expect.stringContaining("'other' is not exported"),
  ])
})
