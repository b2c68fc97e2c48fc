// Kills the instance again and again while a client sends spans. Each span that was acknowledged with 200 must be stored exactly once.
import { createConservationLedger, createSpanGenerator, waitFor } from '@svc-server/testkit'
import { expect, onTestFinished } from 'vitest'
import { instanceDirectory } from './directory.ts'
import { freePorts, type Instance, ready, startInstance, svc } from './instance.ts'
import { sendAll } from './sender.ts'

const spansPerRequest = 100

async function allRowsThere(instance: Instance, expected: number): Promise<void> {
  const unique = () => instance.count('SELECT uniqExact(trace_id, span_id) AS n FROM events_full')
  await waitFor(async () => (await unique().catch(() => 0)) >= expected, { timeoutMs: 120_000, what: `${expected} unique rows` })
  // Waits until the engine has no running query. A late insert could otherwise write a duplicate after the check.
  await waitFor(async () => (await instance.count('SELECT count() AS n FROM system.processes')) <= 1, { timeoutMs: 60_000, what: 'idle' })
}

export async function killRun(requestCount: number, killsWanted: number): Promise<void> {
  await using directory = await instanceDirectory()
  const ports = await freePorts()
  const generator = createSpanGenerator({ seed: 'kill', startTimeMs: Date.now() - 60_000, spansPerRequest })
  const requests = Array.from({ length: requestCount }, () => generator.next())

  let instance = await ready(startInstance(directory.path, ports))
  onTestFinished(async () => {
    if (!instance.ended()) await instance.end('SIGKILL')
  })
  let restarting: Promise<void> = Promise.resolve()
  let kills = 0
  const everyRequests = (requestCount * 0.75) / killsWanted
  const ledger = createConservationLedger()
  await sendAll({
    url: instance.tracesUrl,
    requests,
    concurrency: 8,
    ledger,
    onAcknowledged: acknowledged => {
      if (kills >= killsWanted || acknowledged < (kills + 1) * everyRequests) return
      kills += 1
      restarting = restarting.then(async () => {
        await instance.end('SIGKILL')
        instance = startInstance(directory.path, ports)
      })
    },
  })
  await restarting
  await ready(instance)
  expect(kills).toBe(killsWanted)
  await allRowsThere(instance, requests.length * spansPerRequest)

  const proof = await ledger.verify(instance)
  expect(proof.problems).toEqual([])
  expect(proof).toMatchObject({ acknowledged: requests.length * spansPerRequest, stored: requests.length * spansPerRequest })
  expect(proof.rawRows).toBeLessThanOrEqual(proof.maxRawRows)
  const core = await instance.count('SELECT uniqExact(trace_id, span_id) AS n FROM events_core')
  expect(core).toBe(proof.stored)

  const checked = await svc(directory.path, ports, 'check', '--wait', '60')
  expect(checked).toMatchObject({ code: 0, error: '' })
  expect(checked.out).toMatch(/^CONSERVED: [\d,]+ spans = [\d,]+ stored/m)
  expect(await instance.end('SIGINT')).toBe(0)
}
