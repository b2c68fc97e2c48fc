// Sends events of the legacy API (contract §14.2) to the public port, and checks the rows in the tables of v3 and v4. The test does this in
// each write mode that accepts these events.
import { encodeTraceRequest, metricSum, sized, waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { authorization, type Instance } from './instance.ts'
import { fileHasAnInstance, ports, start, svcOfInstance } from './restarted.ts'

fileHasAnInstance()

const modeOf = (writeMode: string) => ({ writeMode, behaviour: 'dual_write', optIn: 'false' })
const settings = { SVC_PROPAGATION_WINDOW_SECONDS: '2' }

const startedAt = Date.now() - 60_000
const iso = (offsetMs: number) => new Date(startedAt + offsetMs).toISOString()

/** Returns events of one trace. All their ids begin with `run`. */
function eventsOf(run: string): readonly object[] {
  const event = (type: string, name: string, atMs: number, body: object) => ({ id: `${run}-${name}`, timestamp: iso(atMs), type, body })
  const traceId = `${run}-trace`
  return [
    event('trace-create', 'e1', 0, {
      id: traceId,
      timestamp: iso(0),
      name: 'first',
      userId: 'alice',
      tags: ['b'],
      metadata: { a: { x: 1 } },
    }),
    event('span-create', 'e2', 10, { id: `${run}-span`, traceId, name: 'work', startTime: iso(10), input: { q: 'why' } }),
    event('generation-create', 'e3', 20, {
      ...{ id: `${run}-gen`, traceId, parentObservationId: `${run}-span`, name: 'ask', startTime: iso(20), model: 'gpt-4o' },
      modelParameters: { temperature: 0.5 },
    }),
    event('generation-update', 'e4', 30, { id: `${run}-gen`, usage: { input: 3, output: 4 }, output: 'because', endTime: iso(30) }),
    event('event-create', 'e5', 40, { id: `${run}-event`, traceId, parentObservationId: `${run}-span`, name: 'noted', startTime: iso(40) }),
    event('span-update', 'e6', 50, { id: `${run}-span`, endTime: iso(50), output: { a: 'so' }, level: 'WARNING' }),
    event('trace-create', 'e7', 60, { id: traceId, name: 'last', sessionId: 's', tags: ['a'], metadata: { a: { y: 2 } }, output: 'so' }),
  ]
}

async function post(running: Instance, batch: readonly object[]): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${running.ports.PORT}/api/public/ingestion`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ batch }),
  })
  expect(response.status).toBe(207)
  const { successes, errors } = (await response.json()) as { successes: readonly object[]; errors: readonly object[] }
  expect([successes.length, errors]).toEqual([batch.length, []])
}

async function sendSpans(running: Instance, traceId: string): Promise<void> {
  const startTimeUnixNano = BigInt(startedAt) * 1_000_000n
  const span = { traceId, startTimeUnixNano, endTimeUnixNano: startTimeUnixNano + 1_000_000n }
  const rootId = `${traceId.slice(0, 15)}1`
  const attributes = [{ key: 'user.id', value: { stringValue: 'carol' } }]
  const spans = [
    { ...span, spanId: rootId, name: 'request' },
    { ...span, spanId: `${traceId.slice(0, 15)}2`, parentSpanId: rootId, name: 'step', attributes },
  ]
  const response = await fetch(running.tracesUrl, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/x-protobuf' },
    body: encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans }] }] }) as Uint8Array<ArrayBuffer>,
  })
  expect(response.status).toBe(200)
}

/** Sends the last four events first and in reverse order, and then sends all events, as clients with retries can do. */
async function accept(writeMode: string, run: string, traceId: string): Promise<Instance> {
  const instance = await start(modeOf(writeMode), settings)
  const events = eventsOf(run)
  await post(instance, events.toReversed().slice(0, 4))
  await sendSpans(instance, traceId)
  await post(instance, events)
  return instance
}

const inLegacy = 'a1'.repeat(16)
const inDual = 'b2'.repeat(16)

const traceRow = (id: string) => ({
  id,
  name: 'last',
  user_id: 'alice',
  session_id: 's',
  tags: ['a', 'b'],
  metadata: { a: '{"x":1,"y":2}' },
  output: 'so',
})
const observationRows = (run: string) => [
  { id: `${run}-event`, type: 'EVENT', name: 'noted', parent: `${run}-span`, level: 'DEFAULT', output: null, total: 0 },
  { id: `${run}-gen`, type: 'GENERATION', name: 'ask', parent: `${run}-span`, level: 'DEFAULT', output: 'because', total: 7 },
  { id: `${run}-span`, type: 'SPAN', name: 'work', parent: null, level: 'WARNING', output: '{"a":"so"}', total: 0 },
]

test('F23 · every event and span is merged into the tables of the mode that accepted it, whatever is killed meanwhile', async () => {
  await (await accept('legacy', 'old', inLegacy)).end('SIGKILL')
  const killed = async () => {
    await (await accept('dual', 'both', inDual)).end('SIGKILL')
    return start(modeOf('dual'), settings)
  }
  // In the quick run, this test kills only the instance in `legacy`. Suites of the propagator and the merger cover kills in `dual`.
  const running = await sized(killed, () => accept('dual', 'both', inDual))()
  const events =
    "SELECT span_id, name, parent_span_id AS parent FROM events_full FINAL WHERE startsWith(trace_id, 'both') AND is_deleted = 0 ORDER BY span_id"
  await waitFor(async () => (await running.query(events)).length === 4, { timeoutMs: 120_000, what: 'the events of a window' })
  const traces = () =>
    running.query<{ id: string }>(
      'SELECT id, name, user_id, session_id, tags, metadata, output FROM traces FINAL WHERE is_deleted = 0 ORDER BY id',
    )
  await waitFor(async () => (await traces()).length === 4, { what: 'the traces' })
  // The trace's row appears first. The other events of the trace are merged later.
  const soon = { timeout: 60_000, interval: 500 }
  const ofEvents = async () => (await traces()).filter(({ id }) => id.endsWith('-trace'))
  await expect.poll(ofEvents, soon).toEqual([traceRow('both-trace'), traceRow('old-trace')])
  const ofSpans = async () => (await traces()).filter(({ id }) => !id.endsWith('-trace'))
  await expect.poll(ofSpans, soon).toMatchObject([inLegacy, inDual].map(id => ({ id, name: 'request', user_id: 'carol' })))
  const ofObservations = () =>
    running.query(
      "SELECT id, type, name, parent_observation_id AS parent, level, output, toUInt32(usage_details['total']) AS total FROM observations FINAL " +
        "WHERE is_deleted = 0 AND endsWith(trace_id, '-trace') ORDER BY trace_id, id",
    )
  await expect.poll(ofObservations, soon).toEqual([...observationRows('both'), ...observationRows('old')])
  await expect
    .poll(() => running.query(events), soon)
    .toEqual([
      { span_id: 'both-event', name: 'noted', parent: 'both-span' },
      { span_id: 'both-gen', name: 'ask', parent: 'both-span' },
      { span_id: 'both-span', name: 'work', parent: 't-both-trace' },
      { span_id: 't-both-trace', name: 'last', parent: '' },
    ])
  const spans = () =>
    running.query(
      "SELECT trace_id, toUInt32(count()) AS n FROM events_full FINAL WHERE is_deleted = 0 AND NOT endsWith(trace_id, '-trace') GROUP BY trace_id",
    )
  await expect.poll(spans, soon).toEqual([{ trace_id: inDual, n: 2 }])
  expect(await running.count("SELECT count() AS n FROM events_full WHERE startsWith(trace_id, 'old')")).toBe(0)
  const checked = await svcOfInstance('check', '--wait', '60')
  expect(checked).toMatchObject({ code: 0, error: '', out: expect.stringMatching(/ \d+ of them merged entities; 0 dead letters\./) })
  const metrics = await (await fetch(`http://127.0.0.1:${ports.SVC_WORKER_PORT}/metrics`)).text()
  expect([metricSum(metrics, 'svc_unaccounted_spans'), metricSum(metrics, 'svc_row_audits_total', 'failed')]).toEqual([0, 0])
  expect(await running.end('SIGINT')).toBe(0)
}, 400_000)
