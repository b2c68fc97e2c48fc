// The promise of the whole: answered with 200 means stored, once, whatever is killed.
import { createSpanGenerator, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { freePorts, type Instance, ready, startInstance } from './instance.ts'
import { sendAll } from './sender.ts'

const spansPerRequest = 100

const identities = (rows: readonly { trace_id: string; span_id: string }[]) => new Set(rows.map(row => `${row.trace_id}/${row.span_id}`))

async function allRowsThere(instance: Instance, expected: number): Promise<void> {
  const unique = () => instance.count('SELECT uniqExact(trace_id, span_id) AS n FROM events_full')
  await waitFor(async () => (await unique().catch(() => 0)) >= expected, { timeoutMs: 120_000, what: `${expected} unique rows` })
  // Nothing more may come: what is still on its way would be a duplicate.
  await waitFor(async () => (await instance.count('SELECT count() AS n FROM system.processes')) <= 1, { timeoutMs: 30_000, what: 'idle' })
}

test('100,000 spans at full speed, standalone killed -9 five times: every acknowledged span is there, raw rows bounded by what was sent again', async () => {
  await using directory = await temporaryDirectory()
  const ports = await freePorts()
  const generator = createSpanGenerator({ seed: 'kill', startTimeMs: Date.now() - 60_000, spansPerRequest })
  const requests = Array.from({ length: 1000 }, () => generator.next())

  let instance = await ready(startInstance(directory.path, ports))
  let restarting: Promise<void> = Promise.resolve()
  let kills = 0
  const sent = await sendAll({
    url: instance.tracesUrl,
    requests,
    concurrency: 8,
    onAcknowledged: acknowledged => {
      if (kills >= 5 || acknowledged < (kills + 1) * 150) return
      kills += 1
      restarting = restarting.then(async () => {
        await instance.end('SIGKILL')
        instance = startInstance(directory.path, ports)
      })
    },
  })
  await restarting
  await ready(instance)
  expect(kills).toBe(5)
  await allRowsThere(instance, requests.length * spansPerRequest)

  const expected = identities(sent.flatMap(({ request }) => request.spans.map(span => ({ trace_id: span.traceId, span_id: span.spanId }))))
  const stored = identities(
    await instance.query<{ trace_id: string; span_id: string }>('SELECT DISTINCT trace_id, span_id FROM events_full'),
  )
  expect(stored.size).toBe(requests.length * spansPerRequest)
  expect(stored).toEqual(expected)
  const core = await instance.count('SELECT uniqExact(trace_id, span_id) AS n FROM events_core')
  expect(core).toBe(stored.size)

  const sentAgain = sent.reduce((total, { attempts }) => total + (attempts - 1), 0) * spansPerRequest
  const raw = await instance.count('SELECT count() AS n FROM events_full')
  expect(raw).toBeGreaterThanOrEqual(stored.size)
  expect(raw).toBeLessThanOrEqual(stored.size + sentAgain)
  expect(await instance.end('SIGINT')).toBe(0)
}, 300_000)
