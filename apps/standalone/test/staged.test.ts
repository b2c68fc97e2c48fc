// Sends a child span, kills the instance, and sends the root span one window later. The child's row must get the root's user, session and
// tags.
import { encodeTraceRequest, type temporaryDirectory, waitFor } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instanceDirectory } from './directory.ts'
import { authorization, freePorts, type Instance, type Ports, ready, startInstance, svc } from './instance.ts'

const windowSeconds = '3'
const traceId = '0af7651916cd43dd8448eb211c80319c'
const nowNs = () => BigInt(Date.now()) * 1_000_000n

let directory: Awaited<ReturnType<typeof temporaryDirectory>>
let ports: Ports
let instance: Instance
const start = async () => {
  instance = await ready(
    startInstance(directory.path, ports, { SVC_PROPAGATION_WINDOW_SECONDS: windowSeconds, SVC_LEDGER_AUDIT_MS: '500' }),
  )
}

beforeAll(async () => {
  directory = await instanceDirectory()
  ports = await freePorts()
  await start()
})
afterAll(async () => {
  if (!instance.ended()) await instance.end('SIGTERM')
  await directory.remove()
})

interface Sent {
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes?: Readonly<Record<string, string>>
}

async function send({ spanId, parentSpanId, name, attributes = {} }: Sent): Promise<void> {
  const span = {
    traceId,
    spanId,
    name,
    ...(parentSpanId !== undefined && { parentSpanId }),
    startTimeUnixNano: nowNs(),
    endTimeUnixNano: nowNs(),
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: value } })),
  }
  const response = await fetch(instance.tracesUrl, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/x-protobuf', 'x-svc-ingestion-version': '3' },
    body: encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }) as Uint8Array<ArrayBuffer>,
  })
  expect([response.status, response.headers.get('x-svc-route')]).toEqual([200, expect.stringContaining('staging')])
}

const rows = (table: string) =>
  instance
    .query<Record<string, unknown>>(
      `SELECT span_id, trace_name, user_id, session_id, tags FROM ${table} FINAL WHERE trace_id = '${traceId}' ORDER BY span_id`,
    )
    .catch(() => [])

const health = async () => {
  const response = await fetch(`http://127.0.0.1:${ports.SVC_WORKER_PORT}/api/health?failIfEventPropagationStuck=true`)
  return { status: response.status, body: (await response.json()) as { eventPropagation: Record<string, unknown> } }
}

test('without staged spans, propagation is reported as enabled and not stuck', async () => {
  expect(await health()).toMatchObject({
    status: 200,
    body: { status: 'ok', eventPropagation: { enabled: true, stuck: false, lastRunStartedAt: null, thresholdSeconds: 900 } },
  })
})

test('F24 · if the root arrives a window after its child, with a crash in between, both rows have the attributes of the root', async () => {
  await send({ spanId: 'c000000000000001', parentSpanId: 'a000000000000001', name: 'step' })
  await waitFor(async () => (await rows('events_full')).length === 1, { what: 'the child' })
  expect(await rows('events_full')).toMatchObject([{ span_id: 'c000000000000001', trace_name: '', user_id: '' }])

  await send({
    spanId: 'a000000000000001',
    name: 'answer',
    attributes: { 'user.id': 'u-1', 'session.id': 's-1', 'svc.trace.tags': '["beta","a"]' },
  })
  await instance.end('SIGKILL')
  await start()

  const said = { trace_name: 'answer', user_id: 'u-1', session_id: 's-1' }
  const expected = [
    { span_id: 'a000000000000001', ...said, tags: ['beta', 'a'] },
    { span_id: 'c000000000000001', ...said, tags: ['a', 'beta'] },
  ]
  for (const table of ['events_full', 'events_core']) {
    await waitFor(async () => JSON.stringify(await rows(table)) === JSON.stringify(expected), {
      what: `the trace's attributes on both rows of ${table}`,
    })
  }
  // The propagator published the child twice, so the child has two rows.
  expect(await instance.count('SELECT count() AS n FROM events_full')).toBe(3)
  const { status, body } = await health()
  expect([status, body.eventPropagation]).toMatchObject([200, { stuck: false, lastProcessedPartition: expect.stringMatching(/Z$/) }])
})

test('the ledger links staged to filled spans: svc check passes and nothing is unaccounted for', async () => {
  const { code, out } = await svc(directory.path, ports, 'check')
  expect([code, out]).toEqual([0, expect.stringContaining('CONSERVED')])
  const text = await (await fetch(`http://127.0.0.1:${ports.SVC_WORKER_PORT}/metrics`)).text()
  expect(text).toMatch(/svc_propagator_window_exit_total\{reason="root_seen"\} 1/)
  for (const [, spans] of text.matchAll(/^svc_unaccounted_spans\{.*\} (\d+)$/gm)) expect(spans).toBe('0')
})
