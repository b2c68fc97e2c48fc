// Compares every legacy read of two projects with the expected result. A model of the specification computes this result.
import { expect, test } from 'vitest'
import type { Instance } from '../instance.ts'
import { type Catalog, createCatalog } from './catalog.ts'
import type { Client, Row } from './client.ts'
import type { Size } from './compare.ts'
import { createRandom, type Ids, pricedName, type Random, randomIds, randomScores } from './data.ts'
import {
  type AskedPages,
  observationRow,
  observationsOf,
  randomLegacyObservations,
  randomTraces,
  sessionTraces,
  traceRow,
} from './legacy.ts'
import { batchOf, eventsOfObservation, eventsOfTrace, type LegacyProject, randomObservations, randomTrace } from './legacy-data.ts'
import { randomDays } from './legacy-days.ts'
import { legacyFactsOf, randomLegacyMetrics } from './legacy-metrics.ts'
import { createRuns, pathOfRun, type Runs, readRuns, sendRunItems } from './legacy-runs.ts'
import { isCovered, randomLegacyScores, scoreRow } from './legacy-scores.ts'
import { metricsDifference, metricsRows } from './metrics.ts'
import { clientsOf, projectIdOf } from './projects.ts'

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
/** Repeats a request that exceeded the server's time limit. On a busy machine, some requests exceed this limit. */
async function patiently(get: () => Promise<Response>): Promise<Response> {
  const response = await get()
  return response.status === 422 && response.body['error'] === 'Request timed out' ? patiently(get) : response
}

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

interface Side {
  readonly client: Client
  readonly project: LegacyProject
}

async function firstOfCatalog(client: Client, random: Random, catalog: Catalog): Promise<Pick<LegacyProject, 'traces' | 'observations'>> {
  const trace = randomTrace(random, { traceId: 'probe', spans: [] })
  const [call] = [...randomObservations(random, trace, { traceId: trace.id, spans: ['probe-call'] }), undefined]
  if (call === undefined) return firstOfCatalog(client, random, catalog)
  const priced = { model: pricedName, usage: { input: 3 }, cost: {}, prompt: { name: 'greet', version: 3 } }
  const probe = { ...call, ...priced, type: 'GENERATION' }
  for (;;) {
    await client.report('POST', '/ingestion', batchOf([...eventsOfTrace(random, trace), ...eventsOfObservation(random, probe)]))
    const { body } = await client.get('/observations/probe-call', {})
    if (body['modelId'] === catalog.model.id && body['promptId'] === catalog.prompts.get(3))
      return { traces: [trace], observations: [probe] }
    await new Promise(resolve => setTimeout(resolve, 500))
  }
}

async function fill(random: Random, client: Client, ids: readonly Ids[], scoreCount: number, inputPrice: number): Promise<Side> {
  const catalog = await createCatalog(client, inputPrice)
  const probe = await firstOfCatalog(client, random, catalog)
  const traces = ids.map(each => randomTrace(random, each))
  const observations = traces.flatMap((trace, n) => randomObservations(random, trace, ids[n]!))
  const sent = randomScores(random, ids, scoreCount)
  const events = [
    ...traces.flatMap(each => eventsOfTrace(random, each)),
    ...observations.flatMap(each => eventsOfObservation(random, each)),
  ]
  for (let at = 0; at < events.length; at += 200) {
    const { successes, errors } = await client.report('POST', '/ingestion', batchOf(events.slice(at, at + 200)))
    const accepted = (successes as readonly unknown[]).length
    expect({ errors, accepted }).toEqual({ errors: [], accepted: Math.min(200, events.length - at) })
  }
  await client.sendScores(sent)
  const project = {
    ...{ id: await projectIdOf(client), catalog, traces: [...probe.traces, ...traces] },
    ...{ observations: [...probe.observations, ...observations], scores: [...new Map(sent.map(score => [score.id, score])).values()] },
  }
  const all = async (path: string) => settled(byId(await pagesOf(client, path, [], 100)))
  const groups = new Set(['io', 'scores', 'observations', 'metrics'])
  const expected = {
    observations: settled(byId(project.observations.map(each => observationRow(each, project)))),
    traces: settled(byId(project.traces.map(each => traceRow(each, project, groups)))),
  }
  await expect.poll(() => all('/observations'), soon).toEqual(expected.observations)
  await expect.poll(() => all('/traces'), soon).toEqual(expected.traces)
  return { client, project }
}
const soon = { timeout: 120_000, interval: 1_000 }

export function compareLegacyReads(running: () => Instance, { seed, traces: count, scores: scoreCount, queries }: Size): void {
  const random = createRandom(seed)
  let sides: readonly [Side, Side]
  const anySide = () => sides[random.chance(0.7) ? 0 : 1]

  async function compare(ask: (of: typeof random, project: LegacyProject) => AskedPages, times: number) {
    for (let n = 0; n < times; n++) {
      const { client, project } = anySide()
      const { path, parameters, expected, before } = ask(random, project)
      const limit = expected.length > 0 && expected.length < 10 ? random.pick([3, 50]) : 100
      const found = (await pagesOf(client, path, parameters, limit)).map(byModel)
      const rows = settled(byId(found))
      expect({ path, parameters, rows }).toEqual({ path, parameters, rows: settled(byId(expected.map(byModel))) })
      for (const [at, row] of found.slice(1).entries()) expect(before(found[at]!, row)).toBeLessThanOrEqual(0)
    }
  }

  test('two projects with the same ids take traces, observations and scores', async () => {
    const [first, second] = await clientsOf(running())
    const ids = randomIds(random, count)
    const some = ids.filter((_, n) => n % 3 === 0)
    sides = [await fill(random, first, ids, scoreCount, 0.0105), await fill(random, second, some, Math.ceil(scoreCount / 3), 1.0105)]
  }, 300_000)

  test('traces', () => compare(randomTraces, queries))
  test('observations', () => compare(randomLegacyObservations, queries))
  test('scores', () => compare(randomLegacyScores, queries))
  test('metrics by day', () => compare(randomDays, queries / 4))

  test('single traces, observations and scores', async () => {
    for (let n = 0; n < queries / 4; n++) {
      const { client, project } = anySide()
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
      expect([path, (await sides[0].client.get(path, {})).status]).toEqual([path, 404])
  })

  test.each([0, 1] as const)('sessions of project %i', async at => {
    const { client, project } = sides[at]
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
    const facts = sides.map(({ project }) => legacyFactsOf(project))
    for (let n = 0; n < queries; n++) {
      const which = random.chance(0.7) ? 0 : 1
      const query = randomLegacyMetrics(random, facts[which]!)
      const { client } = sides[which]
      const { status, body } = await patiently(() => client.get('/metrics', { query: JSON.stringify(query) }))
      expect({ query, status, body: status === 200 || body }).toEqual({ query, status: 200, body: true })
      const difference = metricsDifference(query, metricsRows(query, facts[which]![query.view]), body['data'] as Row[])
      expect({ query, difference }).toEqual({ query, difference: undefined })
    }
  })

  test('runs of datasets, and a deleted run that starts again', async () => {
    const filled: (Side & { of: Runs })[] = []
    for (const { client, project } of sides) {
      const runs = await createRuns(client)
      filled.push({ client, project, of: { runs, items: await sendRunItems(client, random, project, runs, queries + 8) } })
    }
    const ofClient = (client: Client) => (path: string, parameters: AskedPages['parameters'], limit: number) =>
      pagesOf(client, path, parameters, limit)
    async function agree() {
      for (const { client, of } of filled) {
        const { expected, found } = await readRuns(client, random, ofClient(client), of)
        expect(found).toEqual(expected)
      }
    }
    await expect.poll(agree, soon).toBe(undefined)
    const [first] = filled
    const { items, runs } = first!.of
    const { run } = random.pick(items)
    await first!.client.send('DELETE', pathOfRun(run), undefined)
    first!.of = { runs, items: items.filter(item => item.run !== run) }
    await agree()
    const anew = await sendRunItems(first!.client, random, first!.project, [run], 3)
    first!.of = { runs, items: [...first!.of.items, ...anew] }
    await expect.poll(agree, soon).toBe(undefined)
  }, 300_000)
}
