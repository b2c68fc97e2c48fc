// Checks, at the end of a test with faults, that all acknowledged spans and no other spans are stored. The check runs `svc check`. It
// also compares the stored ids with the ids that the client sent.
import { waitFor } from '@svc-server/testkit'
import { expect } from 'vitest'
import { runScript, type TestCluster } from './cluster.ts'
import type { Sent } from './load.ts'

export interface Conserved {
  readonly acknowledged: number
  readonly rows: number
  readonly sentAgain: number
}

const restSeconds = 300
const svc = new URL('../../svc/src/main.ts', import.meta.url).href

/** `before` contains the numbers of spans and rows before the test. `sent` contains all spans that the test has sent. */
export async function expectConserved(cluster: TestCluster, sent: readonly Sent[], before = { rows: 0, spans: 0 }): Promise<Conserved> {
  const expected = new Set(sent.flatMap(({ identities }) => [...identities]))
  const sentAgain = sent.reduce((sum, run) => sum + run.sentAgain, 0)
  const check = await runScript(svc, cluster.running.operatorEnv, 'check', '--wait', String(restSeconds))
  expect(check, check.error + check.out).toMatchObject({ code: 0 })

  const found = await cluster.query<{ identity: string }>("SELECT DISTINCT concat(trace_id, '/', span_id) AS identity FROM events_full")
  const stored = new Set(found.map(({ identity }) => identity))
  expect(
    [...expected].filter(identity => !stored.has(identity)),
    'acknowledged and not stored',
  ).toEqual([])
  expect(stored.size).toBe(before.spans + expected.size)
  const rows = (await cluster.rows()).rows - before.rows
  // The log can contain a request although the response refused it. If the client resends this request, the log contains both attempts.
  // This is the only allowed reason for more rows than spans.
  expect(rows).toBeGreaterThanOrEqual(expected.size)
  expect(rows).toBeLessThanOrEqual(expected.size + sentAgain)
  return { acknowledged: expected.size, rows, sentAgain }
}

export async function expectAccountedFor(cluster: TestCluster): Promise<void> {
  const probes = cluster.running.writers.filter(({ running }) => running).map(({ probeUrl }) => probeUrl)
  for (const probe of probes) {
    const audits = () => cluster.metric('svc_ledger_audits_total{outcome="done"', [probe])
    const before = await audits()
    await waitFor(async () => (await audits()) >= before + 2, { timeoutMs: 60_000, what: 'two audits of the ledger', everyMs: 100 })
  }
  expect(await cluster.metric('svc_unaccounted_spans{', probes)).toBe(0)
}
