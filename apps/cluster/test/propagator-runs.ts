// When a propagator ends, another propagator takes over its open windows.
import { inNightly, sized, waitFor } from '@svc-server/testkit'
import { beforeAll, expect, test } from 'vitest'
import { requestsOf, runScript, sendAll, spansOf, type TestCluster } from './cluster.ts'

const svc = new URL('../../svc/src/main.ts', import.meta.url).href

/** While these tests run, no other client may send to `cluster`. The propagation windows of the cluster must be short. */
export function propagatorRuns(cluster: () => TestCluster): void {
  let before = { rows: 0, spans: 0 }
  let staged = 0
  beforeAll(async () => {
    before = await cluster().rows()
  })

  const send = async (seed: string, count: number) => {
    const requests = requestsOf(`staged ${seed}`, sized(count, count / 2))
    await sendAll(cluster().running, requests, { ingestionVersion: '3' })
    staged += spansOf(requests)
  }
  const probes = () =>
    cluster()
      .running.propagators.filter(({ running }) => running)
      .map(({ probeUrl }) => probeUrl)
  const stored = async () => {
    await waitFor(async () => (await cluster().rows()).spans >= before.spans + staged, {
      timeoutMs: 90_000,
      what: `${staged} spans`,
      everyMs: 200,
    })
    // The propagators repaired no trace, so each span has one row. A repair would add rows.
    expect(await cluster().rows()).toEqual({ rows: before.rows + staged, spans: before.spans + staged })
  }

  test('both propagators own partitions, and every staged span becomes one row', async () => {
    await send('staged', 60)
    await stored()
    const shares = await Promise.all(probes().map(probe => cluster().metric('svc_propagator_spans_total{outcome="filled"', [probe])))
    for (const share of shares) expect(share).toBeGreaterThan(0)
    for (const probe of probes()) {
      const response = await fetch(`${probe}/api/health?failIfEventPropagationStuck=true`)
      expect([response.status, await response.json()]).toMatchObject([200, { eventPropagation: { enabled: true, stuck: false } }])
    }
  })

  inNightly(() =>
    test('F23 · a propagator is killed with open windows: the other propagator rebuilds them, and no span is lost or stored twice', async () => {
      const [first, second] = cluster().running.propagators
      await send('before the kill', 40)
      first!.signal('SIGKILL')
      expect(await first!.ended()).toBe('SIGKILL')
      await send('after the kill', 40)
      await stored()
      expect(second!.running).toBe(true)

      await first!.start()
      await send('to both again', 20)
      await stored()
    }),
  )

  inNightly(() =>
    test('F22 · a propagator that gets SIGTERM with open windows exits with 0, and the other propagator continues', async () => {
      const [, second] = cluster().running.propagators
      await send('before the stop', 20)
      expect(await second!.stop()).toBe(0)
      await send('after the stop', 20)
      await stored()
      const check = await runScript(svc, cluster().running.operatorEnv, 'check', '--wait', '120')
      expect(check, check.out + check.error).toMatchObject({ code: 0 })
    }),
  )
}
