import { context, defaultTextMapGetter, defaultTextMapSetter, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CBaggagePropagator } from '@opentelemetry/core'
import { BasicTracerProvider, type Span } from '@opentelemetry/sdk-trace-base'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  getPropagatedAttributesFromContext,
  getSvcTraceIdFromBaggage,
  type PropagateAttributesParams,
  propagateAttributes,
  SvcOtelContextKeys,
  SvcOtelSpanAttributes,
  setSvcTraceIdInBaggage,
} from '../src/index.ts'
import { spanKeys } from '../src/propagation/keys.ts'

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
})
afterAll(() => context.disable())
afterEach(() => {
  vi.restoreAllMocks()
})

const tracer = new BasicTracerProvider().getTracer('test')
const inside = (params: PropagateAttributesParams) =>
  propagateAttributes(params, () => getPropagatedAttributesFromContext(context.active()))
const warnings = () => vi.spyOn(console, 'warn').mockReturnValue()

test('the table of keys agrees with the table of attributes', () => {
  const known = new Set<string>(Object.values(SvcOtelSpanAttributes))
  for (const key of Object.values(spanKeys)) expect(known).toContain(key)
})

describe('values in the scope', () => {
  test('has values of all kinds, and returns the result of the function', async () => {
    const attributes = await propagateAttributes(
      {
        userId: 'u',
        sessionId: 's',
        version: 'v',
        traceName: 'n',
        environment: 'prod',
        tags: ['a', 'b', 'a'],
        metadata: { k: 'x' },
        prompt: { name: 'p', version: '3' },
      },
      async () => getPropagatedAttributesFromContext(context.active()),
    )
    expect(attributes).toEqual({
      'user.id': 'u',
      'session.id': 's',
      'svc.version': 'v',
      'svc.trace.name': 'n',
      'svc.environment': 'prod',
      'svc.trace.tags': ['a', 'b'],
      'svc.trace.metadata.k': 'x',
      'svc.observation.prompt.name': 'p',
      'svc.observation.prompt.version': 3,
    })
    expect(getPropagatedAttributesFromContext(context.active())).toEqual({})
    expect(() =>
      propagateAttributes({}, () => {
        throw new Error('through')
      }),
    ).toThrow('through')
  })

  test('inner scalars win, tags are united, metadata is merged', () => {
    propagateAttributes({ userId: 'outer', tags: ['a'], metadata: { a: 1, b: 1 } }, () => {
      expect(inside({ userId: 'inner', tags: ['b', 'a'], metadata: { b: 2 } })).toEqual({
        'user.id': 'inner',
        'svc.trace.tags': ['a', 'b'],
        'svc.trace.metadata.a': '1',
        'svc.trace.metadata.b': '2',
      })
      expect(inside({})).toMatchObject({ 'user.id': 'outer', 'svc.trace.tags': ['a'] })
    })
  })

  test('are set on the active span, but do not replace its own prompt', () => {
    const span = tracer.startSpan('active') as Span
    span.setAttribute('svc.observation.prompt.name', 'own')
    context.with(trace.setSpan(context.active(), span), () =>
      propagateAttributes({ userId: 'u', prompt: { name: 'p', version: 1 } }, () => undefined),
    )
    expect(span.attributes).toEqual({ 'user.id': 'u', 'svc.observation.prompt.name': 'own' })
  })

  test('of an experiment include its environment', () => {
    const attributes = inside({ environment: 'prod', _internalExperiment: { experimentId: 'e', experimentItemRootObservationId: 'r' } })
    expect(attributes).toEqual({
      'svc.environment': 'sdk-experiment',
      'svc.experiment.id': 'e',
      'svc.experiment.item.root_observation_id': 'r',
    })
  })
})

describe('refused values', () => {
  const long = 'x'.repeat(201)
  test.each([
    ['userId', { userId: long }],
    ['sessionId', { sessionId: 7 as never }],
    ['tag', { tags: [long] }],
    ['environment', { environment: 'svc-own' }],
    ['environment', { environment: '' }],
    ['environment', { environment: 'x'.repeat(41) }],
    ['environment', { environment: 'Prod' }],
    ['metadata.k', { metadata: { k: long } }],
    ['metadata.k', { metadata: { k: ['x'.repeat(197)] } }],
    ['metadata.k', { metadata: { k: { deep: [Number.NaN] } } }],
    ['metadata.k', { metadata: { k: undefined } }],
    ['metadata.k', { metadata: { k: () => 1 } }],
    ['prompt', { prompt: { name: '', version: 1 } }],
    ['prompt', { prompt: { name: 'p', version: '1.5' } }],
  ])('%s: %o, with one warning', (name, params) => {
    const warn = warnings()
    expect(inside({ ...params, traceName: 'stays' } as PropagateAttributesParams)).toEqual({ 'svc.trace.name': 'stays' })
    expect(warn).toHaveBeenCalledTimes(1)
    expect(warn.mock.calls[0]![0]).toContain(name)
  })

  test('leave the others: 200 characters, and silently an empty text and a fallback prompt', () => {
    const warn = warnings()
    const longest = 'x'.repeat(200)
    expect(inside({ userId: longest, sessionId: '', tags: [], prompt: { name: 'p', version: 1, isFallback: true } })).toEqual({
      'user.id': longest,
    })
    expect(warn).not.toHaveBeenCalled()
  })
})

test('metadata takes any JSON value', () => {
  const attributes = inside({
    metadata: { text: '42', number: 42, nothing: null, flag: true, list: [1, 'a'], deep: { a: { b: 0 } }, big: 12n },
  })
  expect(attributes).toEqual({
    'svc.trace.metadata.text': '42',
    'svc.trace.metadata.number': '42',
    'svc.trace.metadata.nothing': 'null',
    'svc.trace.metadata.flag': 'true',
    'svc.trace.metadata.list': '[1,"a"]',
    'svc.trace.metadata.deep': '{"a":{"b":0}}',
    'svc.trace.metadata.big': '12',
  })
})

describe('baggage', () => {
  test('carries the values over the wire, also with commas and equals signs', () => {
    const carrier: Record<string, string> = {}
    const propagator = new W3CBaggagePropagator()
    const params: PropagateAttributesParams = {
      userId: 'a,b=c',
      environment: 'prod',
      tags: ['x', 'y'],
      metadata: { k: [1, '='] },
      prompt: { name: 'p', version: 2 },
      asBaggage: true,
    }
    const sent = propagateAttributes(params, () => {
      propagator.inject(setSvcTraceIdInBaggage(context.active(), 'AB'), carrier, defaultTextMapSetter)
      return getPropagatedAttributesFromContext(context.active())
    })
    const received = propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter)
    expect(getPropagatedAttributesFromContext(received)).toEqual(sent)
    expect(getSvcTraceIdFromBaggage(received)).toBe('ab')
  })

  test('stays unchanged by default, and its values are checked when they arrive', () => {
    expect(propagateAttributes({ userId: 'u' }, () => propagation.getBaggage(context.active()))).toBeUndefined()
    const baggage = propagation.createBaggage({
      svc_environment: { value: 'SVC' },
      svc_user_id: { value: 'u' },
      svc_unknown: { value: 'x' },
      other: { value: 'x' },
      svc_prompt_version: { value: 'x' },
    })
    const received = propagation.setBaggage(ROOT_CONTEXT, baggage)
    expect(getPropagatedAttributesFromContext(received)).toEqual({ 'user.id': 'u' })
    expect(getPropagatedAttributesFromContext(received.setValue(SvcOtelContextKeys['userId'], 'own'))).toEqual({ 'user.id': 'own' })
  })

  test('holds one claim, and setting it again changes nothing', () => {
    const claimed = setSvcTraceIdInBaggage(ROOT_CONTEXT, 'ABC')
    expect(setSvcTraceIdInBaggage(claimed, 'abc')).toBe(claimed)
    expect(getSvcTraceIdFromBaggage(setSvcTraceIdInBaggage(claimed, 'def'))).toBe('def')
    expect(getSvcTraceIdFromBaggage(ROOT_CONTEXT)).toBeUndefined()
  })
})
