import { encodeSpanBatch } from '@svc-server/schema/span-batch'
import { attributes, encodeTraceRequest, type Span } from '@svc-server/testkit'
import { describe, expect, test } from 'vitest'
import { traceRows, virtualRootRows } from '../src/rows/trace.ts'
import { createSpanParts } from '../src/spans.ts'
import { joinStates, nothingSaid } from '../src/state.ts'
import { entityOf, startMs } from './events.ts'

const traceId = '00000000000000000000000000000001'

interface Sent {
  readonly span: string
  readonly parent?: string
  readonly name?: string
  readonly atMs?: number
  readonly says?: Parameters<typeof attributes>[0]
}

const wireSpan = ({ span, parent, name = 'step', atMs = 0, says = {} }: Sent): Span => ({
  traceId,
  spanId: span.padStart(16, '0'),
  ...(parent === undefined ? {} : { parentSpanId: parent.padStart(16, '0') }),
  name,
  startTimeUnixNano: BigInt(startMs + atMs) * 1_000_000n,
  endTimeUnixNano: BigInt(startMs + atMs + 1) * 1_000_000n,
  attributes: attributes(says),
})

interface Owner {
  readonly scope?: string
  readonly resource?: Parameters<typeof attributes>[0]
}

const parts = createSpanParts()
let offset = 0

function rowOf(sent: readonly Sent[], { scope = 'app', resource = {} }: Owner = {}) {
  const payload = encodeTraceRequest({
    resourceSpans: [
      { resource: { attributes: attributes(resource) }, scopeSpans: [{ scope: { name: scope }, spans: sent.map(wireSpan) }] },
    ],
  })
  const value = encodeSpanBatch({
    projectId: 'project-1',
    apiKey: 'pk',
    sdkName: 'python',
    sdkVersion: '3.1.0',
    ingestionVersion: null,
    receivedAtMs: startMs + 500,
    ingestId: 'i',
    contentEncoding: 'identity',
    decodedBytes: payload.byteLength,
    spanCount: sent.length,
    payload,
    traceAttributes: null,
  })
  const { traces, reading } = parts.read(value, `spans.direct/0/${offset++}`)
  expect(reading).toMatchObject({ ok: true, spans: sent.length })
  expect([...traces.keys()]).toEqual([traceId])
  return traces.get(traceId)!
}

const shown = (state: ReturnType<typeof rowOf>) => {
  const entity = entityOf('trace', state)
  expect(virtualRootRows(entity)).toEqual([])
  const [row] = traceRows(entity)
  return { ...row!, metadata: Object.fromEntries(row!.metadata) }
}

const root: Sent = {
  span: 'a',
  name: 'chat',
  says: {
    'user.id': 'alice',
    'svc.trace.tags': ['b', 'a'],
    'input.value': 'hi',
    'output.value': 'there',
    'svc.release': 'r',
    'http.route': '/x',
  },
}

describe('the trace event of a span', () => {
  test('of a root has its input, output and attributes, and the span’s name unless the trace is named', () => {
    expect(shown(rowOf([root], { resource: { 'service.name': 'api', 'svc.environment': 'production' } }))).toMatchObject({
      name: 'chat',
      user_id: 'alice',
      tags: ['a', 'b'],
      input: 'hi',
      output: 'there',
      release: 'r',
      environment: 'production',
      timestamp: startMs,
      metadata: {
        attributes: expect.stringContaining('"http.route":"/x"'),
        resourceAttributes: '{"service.name":"api","svc.environment":"production"}',
        scope: '{"name":"app"}',
      },
    })
  })

  test('of another span with statements omits the span’s own name, attributes, input and output', () => {
    const { name, metadata, input, output, user_id } = shown(rowOf([{ ...root, parent: 'f' }]))
    expect([name, input, output, user_id]).toEqual(['', null, null, 'alice'])
    expect(Object.keys(metadata)).toEqual(['scope'])
    const said = shown(
      rowOf([{ span: 'b', parent: 'f', says: { 'svc.trace.name': 'n', 'svc.trace.input': 'in', 'svc.trace.metadata.k': 'v' } }]),
    )
    expect(said).toMatchObject({ name: 'n', input: 'in', metadata: { k: 'v' } })
  })

  test('of any other span has only a time and an environment', () => {
    expect(
      shown(rowOf([{ span: 'b', parent: 'f', atMs: 5, says: { 'svc.environment': 'production', 'http.route': '/x' } }])),
    ).toMatchObject({
      name: '',
      timestamp: startMs + 5,
      environment: 'production',
      metadata: {},
    })
  })

  test('of a span with a parent that the SDK marks as root has the values of a root, but the span is not the root in the events tables', () => {
    const state = rowOf([{ ...root, parent: 'f', says: { ...root.says, 'svc.internal.as_root': 'true' } }])
    expect(shown(state)).toMatchObject({ name: 'chat', input: 'hi' })
    expect(state.root).toBe(null)
    expect(rowOf([root]).root).toEqual({ startUs: startMs * 1000, spanId: '000000000000000a' })
  })

  test('of a span from the SDK has no attributes, and the server’s members override the user’s', () => {
    const says = { ...root.says, 'svc.observation.metadata': '{"scope":"mine","k":{"x":1}}' }
    expect(shown(rowOf([{ ...root, says }], { scope: 'svc-sdk' })).metadata).toEqual({ k: '{"x":1}', scope: '{"name":"svc-sdk"}' })
  })
})

test('the earliest span sets the timestamp, and the last span that states a value sets the other values, however spans are split into records', () => {
  const spans: Sent[] = [
    { ...root, atMs: 3 },
    { span: 'b', parent: 'a', atMs: 1, says: { 'user.id': 'bob' } },
    { span: 'c', parent: 'a', atMs: 2, says: { 'svc.trace.metadata.k': 'v', 'svc.trace.tags': ['z'] } },
    { span: 'd', parent: 'a', atMs: 0, says: { 'svc.environment': 'production' } },
    { span: 'e', parent: 'a', atMs: 9 },
  ]
  const whole = shown(rowOf(spans))
  expect(whole).toMatchObject({ timestamp: startMs, environment: 'production', user_id: 'alice', tags: ['a', 'b', 'z'], name: 'chat' })
  for (const order of [spans, spans.toReversed()]) {
    expect(shown(order.map(span => rowOf([span])).reduce(joinStates, nothingSaid))).toEqual(whole)
  }
})
