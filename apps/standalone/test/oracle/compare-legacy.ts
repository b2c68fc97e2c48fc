// A project with traces, observations and scores of the legacy API, and the comparison of every legacy read with the reference.
import { expect, test } from 'vitest'
import { authorization, type Instance } from '../instance.ts'
import { type Client, createClient, type Row } from './client.ts'
import type { Size } from './compare.ts'
import { createRandom, randomIds, randomScores } from './data.ts'
import {
  type AskedPages,
  observationRow,
  observationsOf,
  randomDays,
  randomLegacyObservations,
  randomTraces,
  sessionTraces,
  traceRow,
} from './legacy.ts'
import { batchOf, eventsOfObservation, eventsOfTrace, type LegacyProject, randomObservations, randomTrace } from './legacy-data.ts'
import { legacyFactsOf, randomLegacyMetrics } from './legacy-metrics.ts'
import { isCovered, randomLegacyScores, scoreRow } from './legacy-scores.ts'
import { metricsDifference, metricsRows } from './metrics.ts'

/** Times that the server sets, and sums of binary fractions, which differ in their last digits. */
const settled = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (key, each) =>
    key === 'createdAt' || key === 'updatedAt' ? 'time' : typeof each === 'number' ? Number(each.toFixed(9)) : each,
  ) as unknown

const byId = (rows: readonly Row[]) => rows.toSorted((a, b) => (String(a['id'] ?? a['date']) < String(b['id'] ?? b['date']) ? -1 : 1))
const byModel = (row: Row): Row =>
  Array.isArray(row['usage'])
    ? { ...row, usage: row['usage'].toSorted((a: Row, b: Row) => (String(a['model']) < String(b['model']) ? -1 : 1)) }
    : row

type Response = Awaited<ReturnType<Client['get']>>
/** Asks again where a busy machine was too slow for the server's limit of time. */
async function patiently(get: () => Promise<Response>): Promise<Response> {
  const response = await get()
  return response.status === 422 && response.body['error'] === 'Request timed out' ? patiently(get) : response
}

/** Reads every page, and checks what each says of the list. */
async function pagesOf(client: Client, path: string, parameters: AskedPages['parameters'], limit: number): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let page = 1; ; page++) {
    const { status, body } = await patiently(() => client.get(path, [...parameters, ['page', String(page)], ['limit', String(limit)]]))
    if (status !== 200) throw new Error(`${path} ${JSON.stringify(parameters)}: ${status} ${JSON.stringify(body)}`)
    const { data, meta } = body as {
      readonly data: readonly Row[]
      readonly meta: { readonly totalItems: number; readonly totalPages: number }
    }
    expect(meta).toEqual({ page, limit, totalItems: meta.totalItems, totalPages: Math.ceil(meta.totalItems / limit) })
    for (const row of data) rows.push(row)
    if (page >= meta.totalPages) {
      expect(rows).toHaveLength(meta.totalItems)
      return rows
    }
  }
}

export function compareLegacyReads(running: () => Instance, { seed, traces: count, scores: scoreCount, queries }: Size): void {
  const random = createRandom(seed)
  let client: Client
  let project: LegacyProject

  async function compare(ask: (of: typeof random, project: LegacyProject) => AskedPages, times: number) {
    for (let n = 0; n < times; n++) {
      const { path, parameters, expected, before } = ask(random, project)
      const limit = expected.length > 0 && expected.length < 10 ? random.pick([3, 50]) : 100
      const found = (await pagesOf(client, path, parameters, limit)).map(byModel)
      const rows = settled(byId(found))
      expect({ path, parameters, rows }).toEqual({ path, parameters, rows: settled(byId(expected.map(byModel))) })
      for (const [at, row] of found.slice(1).entries()) expect(before(found[at]!, row)).toBeLessThanOrEqual(0)
    }
  }

  test('a project takes traces, observations and scores', async () => {
    client = createClient(`http://127.0.0.1:${running().ports.PORT}/api/public`, authorization)
    const { body } = await client.get('/projects', {})
    const ids = randomIds(random, count)
    const traces = ids.map(each => randomTrace(random, each))
    const observations = traces.flatMap((trace, n) => randomObservations(random, trace, ids[n]!))
    const sent = randomScores(random, ids, scoreCount)
    const scores = [...new Map(sent.map(score => [score.id, score])).values()]
    project = { id: (body['data'] as readonly { readonly id: string }[])[0]!.id, traces, observations, scores }
    const events = [...traces.flatMap(eventsOfTrace), ...observations.flatMap(each => eventsOfObservation(random, each))]
    for (let at = 0; at < events.length; at += 200) {
      const { successes, errors } = await client.report('POST', '/ingestion', batchOf(events.slice(at, at + 200)))
      expect({ errors, accepted: (successes as readonly unknown[]).length }).toEqual({
        errors: [],
        accepted: Math.min(200, events.length - at),
      })
    }
    await client.sendScores(scores)
    const all = async (path: string) => settled(byId(await pagesOf(client, path, [], 100)))
    const soon = { timeout: 120_000, interval: 1_000 }
    const groups = new Set(['io', 'scores', 'observations', 'metrics'])
    await expect.poll(() => all('/observations'), soon).toEqual(settled(byId(observations.map(each => observationRow(each, project)))))
    await expect.poll(() => all('/traces'), soon).toEqual(settled(byId(traces.map(each => traceRow(each, project, groups)))))
  }, 300_000)

  test('traces', () => compare(randomTraces, queries))
  test('observations', () => compare(randomLegacyObservations, queries))
  test('scores', () => compare(randomLegacyScores, queries))
  test('metrics by day', () => compare(randomDays, queries / 4))

  test('single traces, observations and scores', async () => {
    for (let n = 0; n < queries / 4; n++) {
      const trace = random.pick(project.traces)
      const observations = observationsOf(trace, project).map(each => observationRow(each, project))
      const scores = project.scores.filter(score => score.traceId === trace.id && isCovered(score, 'v1'))
      const { body } = await patiently(() => client.get(`/traces/${trace.id}`, {}))
      const whole = traceRow(trace, project, new Set(['io', 'metrics']))
      const found = { ...body, observations: byId(body['observations'] as Row[]), scores: byId(body['scores'] as Row[]) }
      const expected = { ...whole, observations: byId(observations), scores: byId(scores.map(each => scoreRow(each, project, 'v1'))) }
      expect(settled(found)).toEqual(settled(expected))
      const observation = random.pick(project.observations)
      expect(settled((await patiently(() => client.get(`/observations/${observation.id}`, {}))).body)).toEqual(
        settled(observationRow(observation, project)),
      )
      const score = random.pick(project.scores)
      for (const version of ['v1', 'v2'] as const) {
        const read = await patiently(() => client.get(`${version === 'v1' ? '' : '/v2'}/scores/${score.id}`, {}))
        expect(read.status).toBe(isCovered(score, version) ? 200 : 404)
        if (read.status === 200) expect(settled(read.body)).toEqual(settled(scoreRow(score, project, version)))
      }
    }
    for (const path of ['/traces/none', '/observations/none', '/scores/none', '/v2/scores/none', '/sessions/none'])
      expect([path, (await client.get(path, {})).status]).toEqual([path, 404])
  })

  test('sessions', async () => {
    const sessions = await pagesOf(client, '/sessions', [], 2)
    const created = sessions.map(({ createdAt }) => String(createdAt))
    expect(created).toEqual(created.toSorted().toReversed())
    expect(sessions.map(({ id }) => id).toSorted()).toEqual(
      [...new Set(project.traces.map(({ sessionId }) => sessionId))].filter(id => id !== '').toSorted(),
    )
    for (const session of sessions) {
      const { body } = await patiently(() => client.get(`/sessions/${String(session['id'])}`, {}))
      const { traces, ...own } = body
      expect(own).toEqual({ ...session, projectId: project.id })
      expect(settled(byId(traces as Row[]))).toEqual(settled(byId(sessionTraces(String(session['id']), project))))
    }
    const [first] = sessions
    const from = String(first!['createdAt'])
    const kept = sessions.filter(({ createdAt, environment }) => String(createdAt) >= from && environment === first!['environment'])
    const parameters = [['fromTimestamp', from] as const, ['environment', String(first!['environment'])] as const]
    expect(await pagesOf(client, '/sessions', parameters, 50)).toEqual(kept)
  })

  test('metrics', async () => {
    const facts = legacyFactsOf(project)
    for (let n = 0; n < queries; n++) {
      const query = randomLegacyMetrics(random, facts)
      const { status, body } = await patiently(() => client.get('/metrics', { query: JSON.stringify(query) }))
      expect({ query, status, body: status === 200 || body }).toEqual({ query, status: 200, body: true })
      const difference = metricsDifference(query, metricsRows(query, facts[query.view]), body['data'] as Row[])
      expect({ query, difference }).toEqual({ query, difference: undefined })
    }
  })
}
