// Datadog's context manager always returns Datadog's innermost span as the active span, even if an observation is active inside this span.
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, type ContextManager, context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  getActiveSpanId,
  observe,
  propagateAttributes,
  setSvcTracerProvider,
  startActiveObservation,
  startObservation,
  updateActiveObservation,
} from '../src/index.ts'
import { ended, exporter, provider as ownProvider } from './recorded.ts'

const theirSpans = new InMemorySpanExporter()
const theirs = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(theirSpans)] }).getTracer('theirs')

/** Behaves like the context manager of dd-trace 6.21 (`opentelemetry/context_manager.js`). */
class OtherContextManager implements ContextManager {
  private readonly contexts = new AsyncLocalStorage<Context>()
  private readonly spans = new AsyncLocalStorage<ReturnType<typeof theirs.startSpan>>()
  active(): Context {
    const stored = this.contexts.getStore() ?? ROOT_CONTEXT
    const span = this.spans.getStore()
    return span === undefined ? stored : trace.setSpan(stored, span)
  }
  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(within: Context, fn: F, thisArg?: ThisParameterType<F>, ...args: A) {
    const span = trace.getSpan(within)
    const run = (): ReturnType<F> => this.contexts.run(within, () => fn.call(thisArg!, ...args))
    const isTheirs = span !== undefined && (span as unknown as ReadableSpan).instrumentationScope?.name === 'theirs'
    return isTheirs ? this.spans.run(span, run) : run()
  }
  bind<T>(_: Context, target: T): T {
    return target
  }
  enable(): this {
    return this
  }
  disable(): this {
    return this
  }
}

beforeAll(() => {
  context.setGlobalContextManager(new OtherContextManager())
})
beforeEach(() => {
  exporter.reset()
  theirSpans.reset()
  setSvcTracerProvider(ownProvider())
})
afterAll(() => {
  setSvcTracerProvider(null)
  context.disable()
})

const within = <R>(name: string, fn: () => Promise<R>): Promise<R> =>
  theirs.startActiveSpan(name, async span => {
    const result = await fn()
    span.end()
    return result
  })
const idOf = (name: string): string => [...ended(), ...theirSpans.getFinishedSpans()].find(span => span.name === name)!.spanContext().spanId
const parents = (spans: readonly ReadableSpan[]) => Object.fromEntries(spans.map(span => [span.name, span.parentSpanContext?.spanId]))

test('observations have their parents, and the other spans are unchanged', async () => {
  const inner = observe(async () => updateActiveObservation({ output: 'done' }), { name: 'inner' })
  await within('request', () =>
    startActiveObservation('answer', async answer => {
      expect(getActiveSpanId()).toBe(answer.id)
      await Promise.resolve()
      await propagateAttributes({ userId: 'ada' }, inner)
      await within('query', async () => startObservation('draft').end())
      startObservation('last').end()
    }),
  )
  expect(parents(ended())).toEqual({
    answer: idOf('request'),
    inner: idOf('answer'),
    draft: idOf('query'),
    last: idOf('answer'),
  })
  expect(parents(theirSpans.getFinishedSpans())).toEqual({ request: undefined, query: idOf('request') })
  for (const span of theirSpans.getFinishedSpans()) expect(span.attributes).toEqual({})
  const [answer, observed] = ['answer', 'inner'].map(name => ended().find(span => span.name === name)!)
  expect(observed!.attributes).toMatchObject({ 'user.id': 'ada', 'svc.observation.output': 'done' })
  expect(answer!.attributes).toMatchObject({ 'user.id': 'ada' })
})
