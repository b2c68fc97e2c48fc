// Computes the expected responses of experiments, experiment items and scores v3 from the sent data.
import { base, environments, experiments, type Random, type Score, type Span } from './data.ts'
import { byText, flat, iso, metadataOf, newestFirst, type Project, xxHash32 } from './observations.ts'

type Parameters = (readonly [string, string])[]
export interface Asked {
  readonly path: string
  readonly parameters: readonly (readonly [string, string])[]
  readonly expected: readonly Record<string, unknown>[]
}
const none = (text: string | undefined) => text || null

function subjectOf(score: Score) {
  if (score.datasetRunId) return { kind: 'experiment', id: score.datasetRunId }
  if (score.observationId) return { kind: 'observation', id: score.observationId, traceId: score.traceId }
  if (score.sessionId) return { kind: 'session', id: score.sessionId }
  return { kind: 'trace', id: score.traceId }
}
function shown(score: Score, project: Project, groups: readonly string[]) {
  return {
    id: score.id,
    projectId: project.id,
    name: score.name,
    value: score.dataType === 'BOOLEAN' ? score.value === 1 : score.value,
    dataType: score.dataType,
    source: 'API',
    timestamp: score.timestamp,
    environment: score.environment,
    createdAt: 'time',
    updatedAt: 'time',
    ...(groups.includes('details') ? { comment: score.comment ?? null, configId: null, metadata: score.metadata ?? {} } : {}),
    ...(groups.includes('annotation') ? { authorUserId: null, queueId: null } : {}),
    ...(groups.includes('subject') ? { subject: subjectOf(score) } : {}),
  }
}
const latestScoreFirst = (left: Score, right: Score) => byText(right.timestamp, left.timestamp) || byText(right.id, left.id)

export function randomScoresQuery(random: Random, project: Project): Asked {
  const parameters: Parameters = []
  const tests: ((score: Score) => boolean)[] = []
  const example = random.pick(project.scores)
  function list(name: string, values: readonly string[], test: (score: Score) => boolean) {
    parameters.push([name, values.join(',')])
    tests.push(test)
  }
  if (random.chance(0.1)) list('id', [example.id, 'score-7', 'no-such'], score => [example.id, 'score-7'].includes(score.id))
  if (random.chance(0.25)) list('name', [example.name, 'none'], score => score.name === example.name)
  if (random.chance(0.2)) list('environment', environments.slice(0, 2), score => environments.slice(0, 2).includes(score.environment))
  if (random.chance(0.1)) list('source', ['annotation', 'api'], () => true)
  if (random.chance(0.05)) list('configId', ['x'], () => false)
  const typed = random.below(4)
  if (typed === 1)
    list('dataType', [example.dataType.toLowerCase(), 'BOOLEAN'], score => [example.dataType, 'BOOLEAN'].includes(score.dataType))
  if (typed === 2) {
    const [dataType, values] = random.pick([
      ['NUMERIC', ['0.5', '2']],
      ['BOOLEAN', ['true']],
      ['BOOLEAN', ['false', 'true']],
      ['CATEGORICAL', ['good', 'bad']],
    ] as const)
    list('dataType', [dataType], score => score.dataType === dataType)
    list('value', values, score =>
      values.some(value => (dataType === 'BOOLEAN' ? String(score.value === 1) : String(score.value)) === value),
    )
  }
  if (typed === 3) {
    list('dataType', ['numeric'], score => score.dataType === 'NUMERIC')
    if (random.chance(0.7)) list('valueMin', ['0.25'], score => (score.value as number) >= 0.25)
    if (random.chance(0.7)) list('valueMax', ['0.5'], score => (score.value as number) <= 0.5)
  }
  const subject = random.below(6)
  if (subject === 1 && example.traceId) list('traceId', [example.traceId], score => score.traceId === example.traceId)
  if (subject === 2 && example.traceId && example.observationId) {
    list('traceId', [example.traceId, 'x'], score => score.traceId === example.traceId)
    list('observationId', [example.observationId], score => score.observationId === example.observationId)
  }
  if (subject === 3) list('sessionId', ['s-1'], score => score.sessionId === 's-1')
  if (subject === 4) list('experimentId', experiments.slice(0, 2), score => experiments.slice(0, 2).includes(score.datasetRunId ?? ''))
  if (random.chance(0.3)) list('fromTimestamp', [example.timestamp], score => score.timestamp >= example.timestamp)
  if (random.chance(0.3)) {
    const to = random.pick(project.scores).timestamp
    list('toTimestamp', [to], score => score.timestamp < to)
  }
  const groups = ['core', 'details', 'subject', 'annotation'].filter(() => random.chance(0.5))
  if (groups.length > 0) parameters.push(['fields', groups.join(',')])
  parameters.push(['limit', String(random.pick([100, 100, 17]))])
  return {
    path: '/v3/scores',
    parameters,
    expected: project.scores
      .filter(score => tests.every(test => test(score)))
      .toSorted(latestScoreFirst)
      .map(score => shown(score, project, groups)),
  }
}

const day = 86_400_000
function scoresIn(scores: readonly Score[], project: Project, from: number, to: number, limit: number) {
  return scores
    .filter(
      ({ dataType, timestamp }) =>
        dataType !== 'CORRECTION' && Date.parse(timestamp) * 1000 >= from - day * 1000 && Date.parse(timestamp) * 1000 < to + day * 1000,
    )
    .toSorted(latestScoreFirst)
    .slice(0, limit)
    .map(score => shown(score, project, ['subject']))
}

interface Range {
  readonly from: number
  readonly to: number
  readonly parameters: Parameters
}
function randomRange(random: Random): Range {
  const from = base + random.below(24) * 3600_000
  const to = random.chance(0.5) ? undefined : from + (1 + random.below(48)) * 3600_000
  return {
    from: from * 1000,
    to: to === undefined ? Number.MAX_SAFE_INTEGER : to * 1000,
    parameters: [
      ['fromStartTime', new Date(from).toISOString()],
      ...(to === undefined ? [] : [['toStartTime', new Date(to).toISOString()] as const]),
    ],
  }
}
const max = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b))
const min = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b))

/**
 * Creates a query whose result fits on one page. For each page, the server reads only the scores between the earliest and the latest time
 * of the page's rows. The only page of this query contains all rows of the result, so the times of all rows determine which scores are
 * expected.
 */
export function randomExperiments(random: Random, project: Project): Asked {
  const { from, to, parameters } = randomRange(random)
  const groups = ['core', 'metadata', 'scores'].filter(() => random.chance(0.6))
  if (groups.length > 0) parameters.push(['fields', groups.join(',')])
  const scoreLimit = random.pick([50, 3])
  parameters.push(['scoreLimit', String(scoreLimit)])
  const spans = project.spans.filter(span => span.experiment['id'] && span.start >= from && span.start < to)
  const latest = (key: string, of: readonly Span[]) => none(of.toSorted(newestFirst).find(span => span.experiment[key])?.experiment[key])
  let rows = experiments
    .map(id => ({ id, spans: spans.filter(span => span.experiment['id'] === id) }))
    .filter(({ spans: own }) => own.length > 0)
  const by = random.below(5)
  if (by === 1) {
    parameters.push(['id', 'exp-a,exp-c'])
    rows = rows.filter(({ id }) => id !== 'exp-b')
  }
  if (by === 2) {
    parameters.push(['filter', JSON.stringify([{ type: 'stringOptions', column: 'id', operator: 'none of', value: ['exp-a'] }])])
    rows = rows.filter(({ id }) => id !== 'exp-a')
  }
  const shownRows = rows
    .map(row => ({ ...row, last: max(row.spans.map(({ start }) => start)) }))
    .sort((a, b) => b.last - a.last || byText(b.id, a.id))
  const times = shownRows.map(({ last }) => last)
  return {
    path: '/experiments',
    parameters,
    expected: shownRows.map(({ id, spans: own }) => {
      const start = min(own.map(span => span.start))
      return {
        id,
        name: latest('name', own),
        description: latest('description', own),
        startTime: iso(start),
        endTime: iso(Math.max(max(own.map(({ end }) => end)), start)),
        itemCount: new Set(own.map(span => span.experiment['item.root_observation_id'])).size,
        datasetId: latest('dataset.id', own),
        ...(groups.includes('metadata')
          ? {
              metadata: stored(
                own.toSorted(newestFirst).find(span => Object.keys(span.experimentMetadata).length > 0)?.experimentMetadata ?? {},
              ),
            }
          : {}),
        ...(groups.includes('scores')
          ? {
              scores: scoresIn(
                project.scores.filter(score => score.datasetRunId === id),
                project,
                min(times),
                max(times),
                scoreLimit,
              ),
            }
          : {}),
      }
    }),
  }
}
const stored = (metadata: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(flat(metadata)).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]))

export function randomItems(random: Random, project: Project): Asked {
  const { from, to, parameters } = randomRange(random)
  const groups = random.chance(0.2)
    ? ['core', 'dataset', 'io', 'metadata']
    : ['core', 'dataset', 'io', 'metadata', 'itemMetadata', 'experimentMetadata', 'scores'].filter(() => random.chance(0.5))
  if (groups.length > 0) parameters.push(['fields', groups.join(',')])
  const fields = groups.length > 0 ? groups : ['core', 'dataset']
  let items = project.spans.filter(
    span => span.experiment['id'] && span.experiment['item.root_observation_id'] === span.id && span.start >= from && span.start < to,
  )
  const filters: Record<string, (span: Span) => string> = {
    experimentId: span => span.experiment['id']!,
    experimentName: span => span.experiment['name']!,
    experimentItemId: span => span.experiment['item.id']!,
    datasetId: span => span.experiment['dataset.id']!,
  }
  for (const [name, of] of Object.entries(filters)) {
    if (!random.chance(0.2) || items.length === 0) continue
    const value = of(random.pick(items))
    if (value === '') continue
    if (random.chance(0.5)) {
      parameters.push([name, `${value},other`])
      items = items.filter(span => of(span) === value)
    } else {
      parameters.push(['filter', JSON.stringify([{ type: 'string', column: name, operator: 'does not contain', value }])])
      items = items.filter(span => !of(span).includes(value))
      break
    }
  }
  items = items.toSorted((a, b) => b.start - a.start || xxHash32(b.traceId) - xxHash32(a.traceId) || byText(b.id, a.id))
  parameters.push(['limit', fields.includes('scores') ? '100' : random.pick(['100', '7'])])
  // For a page of items, the server reads only scores from a day before the earliest start of an item to a day after the latest start.
  // The model must therefore know which items are on each page, so a query with scores always has a page length of 100.
  const timesOfPage = (n: number) => items.slice(n - (n % 100), n - (n % 100) + 100).map(({ start }) => start)
  const version = (text: string | undefined) => (text ? new Date(text).toISOString() : null)
  return {
    path: '/experiment-items',
    parameters,
    expected: items.map((span, n) => ({
      id: span.id,
      traceId: span.traceId,
      startTime: iso(span.start),
      endTime: iso(span.end),
      level: span.level,
      environment: span.environment,
      experimentId: span.experiment['id'],
      experimentName: none(span.experiment['name']),
      experimentItemId: none(span.experiment['item.id']),
      ...(fields.includes('dataset')
        ? { experimentDatasetId: none(span.experiment['dataset.id']), experimentItemVersion: version(span.experiment['item.version']) }
        : {}),
      ...(fields.includes('io')
        ? { input: none(span.input), output: none(span.output), expectedOutput: none(span.experiment['item.expected_output']) }
        : {}),
      ...(fields.includes('metadata') ? { metadata: metadataOf(span) } : {}),
      ...(fields.includes('itemMetadata') ? { experimentItemMetadata: stored(span.itemMetadata) } : {}),
      ...(fields.includes('experimentMetadata')
        ? { experimentMetadata: stored(span.experimentMetadata), experimentDescription: none(span.experiment['description']) }
        : {}),
      ...(fields.includes('scores')
        ? {
            scores: scoresIn(
              project.scores.filter(
                score => score.traceId === span.traceId && (score.observationId === undefined || score.observationId === span.id),
              ),
              project,
              min(timesOfPage(n)),
              max(timesOfPage(n)),
              50,
            ),
          }
        : {}),
    })),
  }
}
