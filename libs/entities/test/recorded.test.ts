// Each span arrives in its own record. The test shuffles the records, and restarts the merger between them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeSpanBatch } from '@svc-server/schema/span-batch'
import { createRandom, encodeTraceRequest, type TraceRequest } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { traceRows, virtualRootRows } from '../src/rows/trace.ts'
import { createSpanParts } from '../src/spans.ts'
import { joinStates, nothingSaid } from '../src/state.ts'
import { entityOf, reloaded, startMs } from './events.ts'

/**
 * A recorded request with a root, a child observation and a child generation. SDKs that use OTLP send such requests to a server in the
 * write mode `legacy` or `dual`.
 */
interface Recorded {
  readonly headers: Readonly<Record<string, string>>
  readonly body: TraceRequest
}

const folder = join(import.meta.dirname, 'recorded')
const clients = readdirSync(folder).sort()
const parts = createSpanParts()

const stateOf = (payload: Uint8Array, spanCount: number, provenance: string) => {
  const value = encodeSpanBatch({
    ...{ projectId: 'project-1', apiKey: 'pk', sdkName: 'unknown', sdkVersion: 'unknown', ingestionVersion: null, ingestId: 'i' },
    ...{ receivedAtMs: startMs, writeMode: 'dual', contentEncoding: 'identity', decodedBytes: payload.byteLength, spanCount, payload },
    traceAttributes: null,
  })
  const { traces, reading } = parts.read(value, provenance)
  expect(reading).toMatchObject({ ok: true, spans: spanCount })
  expect(traces.size).toBe(1)
  return [...traces.values()][0]!
}

const singly = ({ resourceSpans = [] }: TraceRequest): readonly TraceRequest[] =>
  resourceSpans.flatMap(({ resource, scopeSpans = [] }) =>
    scopeSpans.flatMap(({ scope, spans = [] }) =>
      spans.map(span => ({ resourceSpans: [{ ...(resource && { resource }), scopeSpans: [{ ...(scope && { scope }), spans: [span] }] }] })),
    ),
  )

test.each(clients)('%s: the trace has the values of its spans in any order', file => {
  const { body } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Recorded
  const states = singly(body).map((request, at) => stateOf(encodeTraceRequest(request), 1, `spans.direct/0/${at}`))
  expect(states).toHaveLength(3)
  const rowOf = (state: typeof nothingSaid) => {
    const entity = entityOf('trace', state)
    expect(virtualRootRows(entity)).toEqual([])
    return traceRows(entity)
  }
  const rows = rowOf(states.reduce(joinStates, nothingSaid))
  expect(rows).toHaveLength(1)
  expect({ ...rows[0], metadata: Object.fromEntries(rows[0]!.metadata) }).toMatchObject({
    ...{ name: 'order-t', user_id: 'alice', session_id: 's1', release: 'rel-1', version: 'v1', public: 1, environment: 'prod' },
    ...{ tags: ['a', 'b'], input: 'ti', output: 'to' },
    metadata: { plan: 'pro', m: '{"x":1}', scope: expect.stringContaining('svc-sdk') },
  })
  const random = createRandom(file)
  for (let round = 0; round < 30; round++) {
    const order = states
      .map(state => [random.next(), state] as const)
      .sort(([a], [b]) => a - b)
      .map(([, state]) => state)
    const again = order.slice(0, round % 3)
    const state = [...order, ...again].reduce((known, next) => reloaded(joinStates(known, next)), nothingSaid)
    expect(rowOf(state)).toEqual(rows)
  }
})
