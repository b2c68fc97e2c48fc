import { describe, expect, expectTypeOf, test } from 'vitest'
import { anyValue, createMetricRegistry, createMetrics, defineMetrics, metricTable } from '../src/metrics/index.ts'

const catalog = defineMetrics({
  requests: {
    type: 'counter',
    name: 'svc_gateway_requests_total',
    help: 'Requests answered.',
    labels: { outcome: ['accepted', 'refused'], code: anyValue },
  },
  spans: { type: 'counter', name: 'svc_gateway_spans_total', help: 'Spans by outcome.', labels: { outcome: ['accepted', 'rejected'] } },
  inflight: { type: 'gauge', name: 'svc_gateway_inflight_bytes', help: 'Bytes held.' },
  lag: { type: 'gauge', name: 'svc_consumer_lag_seconds', help: 'Age of the oldest record.', labels: { topic: anyValue } },
  insert: {
    type: 'histogram',
    name: 'svc_writer_insert_seconds',
    help: 'Time of an insert.',
    buckets: [0.1, 1],
    labels: { outcome: ['ok'] },
  },
})

const open = () => createMetrics(catalog, createMetricRegistry({ version: '4.59.0', runtime: false }))

describe('recording', () => {
  test('renders counters, gauges and histograms in the text format', async () => {
    const metrics = open()
    metrics.requests.inc({ outcome: 'accepted', code: 200 })
    metrics.requests.inc({ outcome: 'accepted', code: 200 }, 2)
    metrics.inflight.set(5)
    metrics.inflight.inc()
    metrics.inflight.dec(2)
    metrics.insert.observe({ outcome: 'ok' }, 0.5)
    const text = await metrics.render()
    expect(text).toContain('svc_gateway_requests_total{outcome="accepted",code="200"} 3')
    expect(text).toContain('svc_gateway_inflight_bytes 4')
    expect(text).toContain('svc_writer_insert_seconds_bucket{le="0.1",outcome="ok"} 0')
    expect(text).toContain('svc_writer_insert_seconds_sum{outcome="ok"} 0.5')
    expect(text).toContain(`svc_build_info{version="4.59.0",node="${process.version}"} 1`)
  })

  test('a counter with closed labels is 0 before its first event, so that rates and alerts work', async () => {
    expect(await open().render()).toContain('svc_gateway_spans_total{outcome="rejected"} 0')
  })

  test('a gauge that is read at each scrape drops series that no longer exist', async () => {
    const metrics = open()
    let topics = ['a', 'b']
    metrics.lag.onScrape(() => {
      for (const topic of topics) metrics.lag.set({ topic }, 1)
    })
    expect(await metrics.render()).toContain('svc_consumer_lag_seconds{topic="b"} 1')
    topics = ['a']
    expect(await metrics.render()).not.toContain('topic="b"')
  })

  test('an open label keeps a bounded number of values and counts later ones as other', async () => {
    const metrics = open()
    for (let code = 0; code < 1_000; code += 1) metrics.requests.inc({ outcome: 'refused', code })
    const text = await metrics.render()
    expect(text).toContain('svc_gateway_requests_total{outcome="refused",code="other"} 800')
    expect(text).toContain('svc_gateway_requests_total{outcome="refused",code="199"} 1')
  })

  test('labels are typed', () => {
    const metrics = open()
    expectTypeOf(metrics.spans.inc).parameters.toEqualTypeOf<[labels: { readonly outcome: 'accepted' | 'rejected' }, value?: number]>()
    expectTypeOf(metrics.inflight.set).parameters.toEqualTypeOf<[value: number]>()
    // @ts-expect-error a value outside the closed set
    const wrongValue = () => metrics.spans.inc({ outcome: 'lost' })
    // @ts-expect-error a label is missing
    const missingLabel = () => metrics.requests.inc({ outcome: 'accepted' })
    // @ts-expect-error a counter cannot be set
    const wrongKind = () => metrics.spans.set({ outcome: 'accepted' }, 1)
    expect([wrongValue, missingLabel, wrongKind]).toHaveLength(3)
  })
})

describe('a registry', () => {
  test('is shared by the services of a process: an equal definition is the same instrument', async () => {
    const registry = createMetricRegistry({ runtime: false })
    createMetrics(catalog, registry).inflight.inc(1)
    createMetrics(catalog, registry).inflight.inc(2)
    expect(await registry.render()).toContain('svc_gateway_inflight_bytes 3')
  })

  test('rejects a different definition of the same name', () => {
    const registry = createMetricRegistry({ runtime: false })
    createMetrics(catalog, registry)
    const other = defineMetrics({ inflight: { type: 'gauge', name: 'svc_gateway_inflight_bytes', help: 'Something else.' } })
    expect(() => createMetrics(other, registry)).toThrow('svc_gateway_inflight_bytes is defined twice')
  })

  test('contains process metrics, and two registries in a process do not conflict', async () => {
    const [first, second] = await Promise.all([createMetricRegistry().render(), createMetricRegistry().render()])
    for (const name of [
      'process_resident_memory_bytes',
      'nodejs_heap_size_used_bytes',
      'nodejs_eventloop_lag_p99_seconds',
      'nodejs_gc_duration_seconds',
    ]) {
      expect(first).toContain(name)
      expect(second).toContain(name)
    }
  })

  test.each([
    [{ type: 'counter', name: 'svc_spans', help: 'x' }, /must end in _total/],
    [{ type: 'gauge', name: 'svc_spans_total', help: 'x' }, /only the name of a counter/],
    [{ type: 'gauge', name: 'svc_lag_ms', help: 'x' }, /base units/],
    [{ type: 'gauge', name: 'svc.lag', help: 'x' }, /lower-case/],
    [{ type: 'gauge', name: 'svc_lag_seconds', help: ' ' }, /help/],
    [{ type: 'gauge', name: 'svc_lag_seconds', help: 'x', labels: { a: [] } }, /no value/],
    [{ type: 'histogram', name: 'svc_age_seconds', help: 'x', buckets: [2, 1] }, /ascend/],
  ] as const)('refuses %j', (definition, message) => {
    expect(() => createMetrics({ metric: definition }, createMetricRegistry({ runtime: false }))).toThrow(message)
  })
})

test('generates the table of a catalog in the layout of the formatter', () => {
  expect(metricTable(catalog).split('\n')).toEqual([
    '| Metric                       | Type      | Labels                               | Meaning                   |',
    '| ---------------------------- | --------- | ------------------------------------ | ------------------------- |',
    '| `svc_consumer_lag_seconds`   | gauge     | `topic`                              | Age of the oldest record. |',
    '| `svc_gateway_inflight_bytes` | gauge     |                                      | Bytes held.               |',
    '| `svc_gateway_requests_total` | counter   | `outcome`: accepted, refused; `code` | Requests answered.        |',
    '| `svc_gateway_spans_total`    | counter   | `outcome`: accepted, rejected        | Spans by outcome.         |',
    '| `svc_writer_insert_seconds`  | histogram | `outcome`: ok                        | Time of an insert.        |',
    '',
  ])
})
