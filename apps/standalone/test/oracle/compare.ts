// Reads two projects through the API, and compares each response with the expected response. A model of the specification computes the
// expected response.
import { waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import type { Instance } from '../instance.ts'
import { type Catalog, createCatalog } from './catalog.ts'
import type { Client, Row } from './client.ts'
import { createRandom, type Ids, pricedName, type Random, randomIds, randomScores, randomSpans, type Span } from './data.ts'
import { refusalOf, refused } from './errors.ts'
import { factsOf, metricsDifference, metricsRows } from './metrics.ts'
import { randomMetrics } from './metrics-queries.ts'
import { type Project, row } from './observations.ts'
import { type Asked, randomExperiments, randomItems, randomScoresQuery } from './others.ts'
import { clientsOf, projectIdOf } from './projects.ts'
import { randomQuery } from './queries.ts'

export interface Size {
  readonly seed: number
  readonly traces: number
  readonly scores: number
  readonly queries: number
}
interface Side {
  readonly client: Client
  readonly project: Project
}
async function firstOfCatalog(client: Client, projectId: string, { model, prompts }: Catalog): Promise<Span> {
  const [span] = randomSpans(createRandom(1), projectId, { traceId: 'd'.repeat(32), spans: ['d'.repeat(16)] })
  const prompt = { promptName: 'greet', promptVersion: 3, type: 'GENERATION' }
  const probe = { ...span!, parent: '', experiment: {}, model: pricedName, usage: { input: 3 }, cost: {}, ...prompt }
  const isKnown = async () => {
    await client.sendSpans([probe])
    const { body } = await client.get('/v2/observations', { fields: 'model,prompt', traceId: probe.traceId })
    const { internalModelId, promptId } = (body['data'] as readonly Row[])[0]!
    return internalModelId === model.id && promptId === prompts.get(3)
  }
  await waitFor(isKnown, { timeoutMs: 240_000, what: 'the model and the prompt to be known', everyMs: 200 })
  return probe
}

/** Fills a project with random data. Some spans are sent a second time with a different start time, which creates a second row. */
async function fill(random: Random, client: Client, ids: readonly Ids[], scoreCount: number, inputPrice: number): Promise<Side> {
  const id = await projectIdOf(client)
  const catalog = await createCatalog(client, inputPrice)
  const probe = await firstOfCatalog(client, id, catalog)
  const spans = ids.flatMap(each => randomSpans(random, id, each))
  const older = spans
    .filter(() => random.chance(0.05))
    .map(span => {
      const [old] = randomSpans(random, id, { traceId: span.traceId, spans: [span.id] })
      return random.chance(0.5) ? { ...old!, start: span.start } : old!
    })
  await client.sendSpans(older)
  await client.sendSpans(spans)
  const scores = randomScores(random, ids, scoreCount)
  await client.sendScores(scores)
  const keyOf = (span: Span) => `${span.traceId} ${span.id} ${span.start}`
  const rows = new Map([probe, ...older, ...spans].map(span => [keyOf(span), span]))
  return {
    client,
    project: { id, spans: [...rows.values()], scores: [...new Map(scores.map(score => [score.id, score])).values()], catalog },
  }
}

const timeless = (rows: readonly Row[]) =>
  JSON.parse(JSON.stringify(rows), (key, value) => (key === 'createdAt' || key === 'updatedAt' ? 'time' : value)) as readonly Row[]

const ofId = (value: string) => JSON.stringify([{ type: 'string', column: 'id', operator: '=', value }])

/** Parses CSV. A cell can be in quotes, and a quote inside such a cell is doubled. */
function recordsOf(csv: string): string[][] {
  const records: string[][] = [[]]
  for (const [, quoted, bare, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n)/g)) {
    records.at(-1)!.push(quoted?.replaceAll('""', '"') ?? bare ?? '')
    if (end !== ',') records.push([])
  }
  return records.slice(0, -1)
}

export function compareWithSheets(running: () => Instance, { seed, traces, scores, queries }: Size): void {
  const random = createRandom(seed)
  let sides: readonly [Side, Side]
  const anySide = () => sides[random.chance(0.7) ? 0 : 1]

  test('two projects accept spans and scores with the same ids', async () => {
    const [first, second] = await clientsOf(running())
    const ids = randomIds(random, traces)
    sides = [
      await fill(random, first, ids, scores, 0.0105),
      await fill(
        random,
        second,
        ids.filter((_, n) => n % 3 === 0),
        Math.ceil(scores / 3),
        1.0105,
      ),
    ]
  })

  async function compare(ask: (random: Random, project: Project) => Asked, count: number) {
    for (let n = 0; n < count; n++) {
      const { client, project } = anySide()
      const { path, parameters, expected } = ask(random, project)
      expect({ parameters, rows: timeless(await client.walk(path, parameters)) }).toEqual({ parameters, rows: timeless(expected) })
    }
  }
  test('lists of observations match the reference', () =>
    compare((...of) => ({ path: '/v2/observations', ...randomQuery(...of) }), queries))
  test('streams of observations match the reference', async () => {
    for (let n = 0; n < queries / 8; n++) {
      const { client, project } = anySide()
      const { parameters, expected } = randomQuery(random, project)
      const rows = expected.slice(0, Number(parameters.find(([name]) => name === 'limit')![1]))
      const lines = (await client.stream('/v2/observations', parameters, 'application/x-ndjson')).split('\n').slice(0, -1)
      const found = timeless(lines.map(line => JSON.parse(line) as Row))
      expect({ parameters, rows: found }).toEqual({ parameters, rows: timeless(rows) })
      const [names, ...records] = recordsOf(await client.stream('/v2/observations', parameters, 'text/csv'))
      const cells = (row: Row) =>
        ['id', 'traceId', 'startTime', 'name', 'userId', 'input', 'model'].map(name => name in row && (row[name] ?? ''))
      const read = records.map(record => Object.fromEntries(names!.map((name, at) => [name, record[at]])))
      expect({ parameters, cells: read.map(cells) }).toEqual({ parameters, cells: rows.map(cells) })
    }
  })
  test('a read that waits for an ingest id returns the span that was sent', async () => {
    const [{ client, project }, other] = sides
    const sent = randomIds(random, Math.min(3, queries / 5)).flatMap(ids => randomSpans(random, project.id, ids))
    for (const span of sent) {
      const waitFor = await client.sendSpan(span)
      const { body } = await client.get('/v2/observations', { traceId: span.traceId, filter: ofId(span.id), fields: 'io', waitFor })
      expect(body['data']).toEqual([row(span, project, { groups: new Set(['io']), expand: false })])
    }
    sides = [{ client, project: { ...project, spans: [...project.spans, ...sent] } }, other]
  })
  test('lists of scores match the reference', () => compare(randomScoresQuery, queries / 2))
  test('lists of experiments match the reference', () => compare(randomExperiments, queries / 4))
  test('lists of experiment items match the reference', () => compare(randomItems, queries / 4))

  test('metrics match the reference', async () => {
    const facts = sides.map(({ project }) => factsOf(project))
    for (let n = 0; n < queries; n++) {
      const which = random.chance(0.7) ? 0 : 1
      const query = randomMetrics(random, facts[which]!)
      const { status, body } = await sides[which]!.client.get('/v2/metrics', { query: JSON.stringify(query) })
      expect({ query, status, body: status === 200 || body }).toEqual({ query, status: 200, body: true })
      const difference = metricsDifference(query, metricsRows(query, facts[which]![query.view]), body['data'] as Row[])
      expect({ query, difference }).toEqual({ query, difference: undefined })
    }
  })

  test('invalid queries are refused with the expected kind of error', async () => {
    for (const { path, query, as } of refused) {
      const { status, body } = await sides[0].client.get(path, query)
      const found =
        typeof as === 'object'
          ? { says: JSON.stringify(body).includes(as.says) ? as.says : body }
          : as === 'either' && refusalOf(body)
            ? as
            : refusalOf(body)
      expect({ path, query, status, as: found }).toEqual({ path, query, status: 400, as })
    }
  })

  test('deleted traces disappear with their scores, and the other project keeps its traces', async () => {
    const [{ client, project }, other] = sides
    const deleted = new Set(project.spans.filter((_, n) => n % 9 === 0).map(({ traceId }) => traceId))
    await client.send('DELETE', '/traces', { traceIds: [...deleted] })
    const left = {
      ...project,
      spans: project.spans.filter(({ traceId }) => !deleted.has(traceId)),
      scores: project.scores.filter(score => !deleted.has(score.traceId ?? '')),
    }
    // Each check reads all rows. Frequent checks would therefore take processor time from the deletion and slow it down.
    const patient = { timeout: 60_000, interval: 500 }
    await expect.poll(async () => (await client.walk('/v2/observations', [['limit', '1000']])).length, patient).toBe(left.spans.length)
    await expect.poll(async () => (await client.walk('/v3/scores', [['limit', '100']])).length, patient).toBe(left.scores.length)
    sides = [{ client, project: left }, other]
    await compare((...of) => ({ path: '/v2/observations', ...randomQuery(...of) }), queries / 4)
    await compare(randomItems, queries / 8)
  })
}
