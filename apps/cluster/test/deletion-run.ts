// Deletes traces on real brokers. Meanwhile, clients resend the deleted traces, and the test kills processes. Readers must see no deleted
// trace, and must see all other data.
import { encodeTraceRequest, waitFor } from '@svc-server/testkit'
import { expect } from 'vitest'
import { runScript, type TestCluster } from './cluster.ts'

const svc = new URL('../../svc/src/main.ts', import.meta.url).href

/** Ids of three traces: a trace of the legacy API, a trace of direct spans, and a trace of staged spans. */
interface Trace {
  readonly legacy: string
  readonly direct: string
  readonly staged: string
}

const hex = (number: number, digits: number, first: string) => number.toString(16).padStart(digits, first)
const traceOf = (number: number): Trace => ({ legacy: `deletion-${number}`, direct: hex(number, 32, 'a'), staged: hex(number, 32, 'b') })
const idsOf = (traces: readonly Trace[]): readonly string[] => traces.flatMap(({ legacy, direct, staged }) => [legacy, direct, staged])
const listOf = (ids: readonly string[]) => ids.map(id => `'${id}'`).join()

export interface DeletionRun {
  readonly traces: number
  readonly deleted: number
  /** Number of rounds with kills. Each round kills one writer and one propagator. */
  readonly kills: number
  /**
   * If true, the run waits until all deletions are done, which takes minutes. If false, the run waits only until queries no longer return
   * the rows.
   */
  readonly untilDone: boolean
}

/** The write mode of `cluster` must be `dual`. */
export async function deletionRun(cluster: TestCluster, { traces: count, deleted: some, kills, untilDone }: DeletionRun): Promise<void> {
  const { publicKey, secretKey, apis, gateways, writers, propagators, operatorEnv } = cluster.running
  const authorization = `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`
  const traces = Array.from({ length: count }, (_, number) => traceOf(number))
  const [deleted, kept] = [traces.slice(0, some), traces.slice(some)]
  const startedAt = Date.now() - 60_000

  async function request(
    url: string,
    method: string,
    type: string,
    body: string | Uint8Array,
    more: Readonly<Record<string, string>> = {},
  ) {
    const headers = { authorization, 'content-type': type, ...more }
    await waitFor(
      async () => {
        const response = await fetch(url, { method, headers, body: body as string }).catch(() => null)
        const text = await response?.text()
        if (response !== null && response.status >= 400 && response.status < 429) throw new Error(`${url}: ${response.status} ${text}`)
        return response?.ok
      },
      { what: url, timeoutMs: 60_000 },
    )
  }

  async function send(): Promise<void> {
    const event = (id: string, type: string, body: object) => ({ id, timestamp: new Date(startedAt).toISOString(), type, body })
    const batch = traces.flatMap(({ legacy: id }) => [
      event(`${id} 1`, 'trace-create', { id, name: 'legacy', timestamp: new Date(startedAt).toISOString() }),
      event(`${id} 2`, 'span-create', { id: `${id}-span`, traceId: id, name: 'work', startTime: new Date(startedAt).toISOString() }),
    ])
    const spansOf = (kind: 'direct' | 'staged') =>
      encodeTraceRequest({
        resourceSpans: [
          {
            scopeSpans: [
              {
                spans: traces.flatMap((trace, number) =>
                  [0, 1].map(at => ({
                    ...{ traceId: trace[kind], spanId: hex(number * 2 + at, 16, kind === 'direct' ? 'c' : 'd'), name: kind },
                    ...{ startTimeUnixNano: BigInt(startedAt) * 1_000_000n, endTimeUnixNano: BigInt(startedAt) * 1_000_000n },
                  })),
                ),
              },
            ],
          },
        ],
      })
    const scores = traces.flatMap(trace => idsOf([trace]).map(traceId => ({ id: `score-${traceId}`, traceId, name: 'quality', value: 1 })))
    await request(`${apis[0]!.url}/api/public/ingestion`, 'POST', 'application/json', JSON.stringify({ batch }))
    await request(`${apis[0]!.url}/api/public/scores`, 'POST', 'application/json', JSON.stringify(scores))
    for (const [kind, version] of [['direct', '4'] as const, ['staged', '3'] as const])
      await request(`${gateways[0]!.url}/v1/traces`, 'POST', 'application/x-protobuf', spansOf(kind), {
        'x-svc-ingestion-version': version,
      })
  }

  /** Counts the ids that have a row other than a tombstone. If `final` is empty, an id also counts if a tombstone has replaced its row. */
  async function rowsOf(of: readonly Trace[], final: '' | 'FINAL' = 'FINAL') {
    const ids = listOf(idsOf(of))
    const counts = (['traces', 'observations', 'events_full', 'events_core', 'scores'] as const).map(async table => {
      const [row] = await cluster.query<{ n: string }>(
        `SELECT uniqExact(${table.startsWith('events') ? 'span_id' : 'id'}) AS n FROM ${table} ${final}
         WHERE ${table === 'traces' ? 'id' : 'trace_id'} IN (${ids}) AND is_deleted = 0`,
      )
      return [table, Number(row!.n)] as const
    })
    return Object.fromEntries(await Promise.all(counts))
  }
  const whole = (of: readonly Trace[]) => ({
    ...{ traces: 3 * of.length, observations: 5 * of.length, scores: 3 * of.length },
    // The events tables have the rows of the observations, and also a virtual root for each legacy trace.
    ...{ events_full: 6 * of.length, events_core: 6 * of.length },
  })
  const nothing = Object.fromEntries(Object.keys(whole([])).map(table => [table, 0]))
  const are = async (of: readonly Trace[], expected: object, what: string) => {
    let found: object = {}
    const sorted = (rows: object) => JSON.stringify(Object.entries(rows).sort())
    await waitFor(
      async () => {
        found = await rowsOf(of)
        return sorted(found) === sorted(expected)
      },
      { what, timeoutMs: 180_000, everyMs: 500 },
    ).catch(() => undefined)
    expect(found, what).toEqual(expected)
  }
  const command = async (...argv: string[]) => {
    const done = await runScript(svc, operatorEnv, ...argv)
    // The error is printed before the output, because long failure reports are truncated.
    expect(done, `${done.error}${done.out}`).toMatchObject({ code: 0 })
    return done.out
  }

  await send()
  await are(traces, whole(traces), 'all of it to be stored')

  await request(`${apis[0]!.url}/api/public/traces`, 'DELETE', 'application/json', JSON.stringify({ traceIds: idsOf(deleted) }))
  const askedAt = performance.now()
  if (kills === 0) {
    await are(deleted, nothing, 'what was deleted to be gone from reads')
    console.info(`gone from reads after ${((performance.now() - askedAt) / 1000).toFixed(1)} s`)
  }
  for (let round = 0; round < kills; round++) {
    await send()
    const victims = [writers[round % writers.length]!, propagators[round % propagators.length]!]
    for (const victim of victims) victim.signal('SIGKILL')
    for (const victim of victims) await victim.ended()
    await send()
    for (const victim of victims) await victim.start()
  }
  await send()
  if (untilDone) {
    await waitFor(async () => (await command('deletions')).startsWith('No deletion'), {
      ...{ what: 'the deletions to be done', timeoutMs: 480_000, everyMs: 5_000 },
    })
    console.info(`done after ${((performance.now() - askedAt) / 1000).toFixed(0)} s`)
    await command('check', '--wait', '300')
    expect(await rowsOf(deleted, '')).toEqual(nothing)
    await send()
  }
  await command('check', '--wait', '300')
  await are(deleted, nothing, 'nothing of what was deleted')
  await are(kept, whole(kept), 'all of the others')
}
