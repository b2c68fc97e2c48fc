// Creates random queries of metrics v1. For each query, also returns the traces, observations and scores that the query aggregates.
import { base, type Fact, type Random, type Score, withOffset } from './data.ts'
import { costOf, latencyOf, observationsOf, usageOf } from './legacy.ts'
import type { LegacyProject, Observation, Trace } from './legacy-data.ts'
import { type MetricsQuery, zones } from './metrics-queries.ts'
import { sumOf } from './observations.ts'

const none = (text: string | undefined) => text || null
const monthOf = (ms: number) => new Date(ms).toISOString().slice(0, 7)
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)
const fact = (time: number, of: Fact['of'], measures: Fact['measures']): Fact => ({
  ...{ time: time * 1000, of, measures, metadata: {}, usage: {}, cost: {} },
})

function traceFact(trace: Trace, project: LegacyProject): Fact {
  const observations = observationsOf(trace, project)
  const of = {
    ...{ id: trace.id, name: none(trace.name), tags: trace.tags, userId: none(trace.userId), sessionId: none(trace.sessionId) },
    ...{ release: none(trace.release), version: none(trace.version), environment: trace.environment, timestampMonth: monthOf(trace.at) },
  }
  return fact(trace.at, of, {
    ...{ count: 1, observationsCount: observations.length },
    scoresCount: project.scores.filter(({ traceId }) => traceId === trace.id).length,
    ...{ uniqueUserIds: none(trace.userId), uniqueSessionIds: none(trace.sessionId) },
    latency: observations.length === 0 ? null : latencyOf(observations),
    totalTokens: sum(observations.map(each => usageOf(each)['total'] ?? 0)),
    totalCost: sum(observations.map(each => costOf(each, project)['total'] ?? 0)),
  })
}

function observationFact(each: Observation, project: LegacyProject): Fact {
  const trace = project.traces.find(({ id }) => id === each.traceId)!
  const [usage, cost] = [usageOf(each), costOf(each, project)]
  const latency = each.end === undefined ? null : each.end - each.start
  const streaming = each.end === undefined || each.completion === undefined ? null : each.end - each.completion
  const of = {
    ...{ id: each.id, traceId: trace.id, traceName: none(trace.name), environment: each.environment, type: each.type, level: each.level },
    ...{ parentObservationId: none(each.parent), name: none(each.name), version: none(each.version), tags: trace.tags },
    ...{ providedModelName: none(each.model), userId: none(trace.userId), sessionId: none(trace.sessionId) },
    ...{ traceRelease: none(trace.release), traceVersion: none(trace.version), startTimeMonth: monthOf(each.start) },
    ...{ promptName: none(each.prompt?.name), promptVersion: each.prompt?.version ?? null },
  }
  return fact(each.start, of, {
    ...{ count: 1, latency, streamingLatency: streaming },
    timeToFirstToken: each.completion === undefined ? null : each.completion - each.start,
    ...{ inputTokens: sumOf(usage, 'input'), outputTokens: sumOf(usage, 'output'), totalTokens: usage['total'] ?? 0 },
    outputTokensPerSecond: streaming ? sumOf(usage, 'output') / (streaming / 1000) : null,
    tokensPerSecond: latency ? (usage['total'] ?? 0) / (latency / 1000) : null,
    ...{ inputCost: sumOf(cost, 'input'), outputCost: sumOf(cost, 'output'), totalCost: cost['total'] ?? 0 },
    countScores: project.scores.filter(({ traceId, observationId }) => traceId === trace.id && observationId === each.id).length,
  })
}

function scoreFact(score: Score, project: LegacyProject): Fact {
  const trace = project.traces.find(({ id }) => id === score.traceId)
  const observation = project.observations.find(({ id, traceId }) => id === score.observationId && traceId === score.traceId)
  const isNumber = typeof score.value === 'number'
  const of = {
    ...{ environment: score.environment, name: score.name, source: 'API', dataType: score.dataType, id: score.id },
    ...{ traceName: none(trace?.name), tags: trace?.tags ?? [], userId: none(trace?.userId), traceId: none(score.traceId) },
    ...{ traceRelease: none(trace?.release), traceVersion: none(trace?.version), observationId: none(score.observationId) },
    ...{ observationName: none(observation?.name), observationModelName: none(observation?.model) },
    ...{ value: isNumber ? score.value : null, booleanValue: score.value === 1, stringValue: isNumber ? null : score.value },
  }
  return fact(Date.parse(score.timestamp), of, { count: 1, value: isNumber ? score.value : null })
}

const ofScores = ['environment', 'name', 'source', 'dataType', 'traceName', 'tags', 'traceRelease', 'traceVersion', 'observationName']
const scoreDimensions = [...ofScores, 'observationModelName', 'userId', 'traceId']
const views = {
  traces: {
    dimensions: ['name', 'tags', 'userId', 'sessionId', 'release', 'version', 'environment', 'timestampMonth', 'id'],
    measures: ['count', 'observationsCount', 'scoresCount', 'latency', 'totalTokens', 'totalCost', 'uniqueUserIds', 'uniqueSessionIds'],
    facts: ({ traces, ...project }: LegacyProject) => traces.map(each => traceFact(each, { ...project, traces })),
  },
  observations: {
    dimensions: [
      ...['traceName', 'environment', 'type', 'name', 'level', 'version', 'tags', 'providedModelName', 'userId', 'sessionId'],
      ...['traceRelease', 'traceVersion', 'startTimeMonth', 'traceId', 'parentObservationId', 'promptName', 'promptVersion'],
    ],
    measures: [
      ...['count', 'latency', 'streamingLatency', 'timeToFirstToken', 'inputTokens', 'outputTokens', 'totalTokens', 'countScores'],
      ...['outputTokensPerSecond', 'tokensPerSecond', 'inputCost', 'outputCost', 'totalCost'],
    ],
    facts: (project: LegacyProject) => project.observations.map(each => observationFact(each, project)),
  },
  'scores-numeric': {
    ...{ dimensions: scoreDimensions, measures: ['count', 'value'] },
    facts: (project: LegacyProject) => factsOfTypes(project, ['NUMERIC', 'BOOLEAN']),
  },
  'scores-boolean': {
    ...{ dimensions: [...scoreDimensions, 'booleanValue'], measures: ['count', 'value'] },
    facts: (project: LegacyProject) => factsOfTypes(project, ['BOOLEAN']),
  },
  'scores-categorical': {
    ...{ dimensions: [...scoreDimensions, 'stringValue'], measures: ['count'] },
    facts: (project: LegacyProject) => factsOfTypes(project, ['CATEGORICAL']),
  },
} as const

const factsOfTypes = (project: LegacyProject, types: readonly string[]) =>
  project.scores.filter(({ dataType }) => types.includes(dataType)).map(each => scoreFact(each, project))

type LegacyMetricsQuery = Omit<MetricsQuery, 'view'> & { readonly view: keyof typeof views }
type LegacyFacts = Readonly<Record<keyof typeof views, readonly Fact[]>>

export const legacyFactsOf = (project: LegacyProject): LegacyFacts => ({
  traces: views.traces.facts(project),
  observations: views.observations.facts(project),
  ...{ 'scores-numeric': views['scores-numeric'].facts(project), 'scores-boolean': views['scores-boolean'].facts(project) },
  'scores-categorical': views['scores-categorical'].facts(project),
})

const aggregations = ['sum', 'avg', 'count', 'max', 'min', 'p50', 'p95', 'uniq']

/** Unlike metrics v2, metrics v1 allows a query to group by a field of high cardinality without an order and a limit. */
export function randomLegacyMetrics(random: Random, facts: LegacyFacts): LegacyMetricsQuery {
  const view = random.pick(['traces', 'observations', ...Object.keys(views)]) as keyof typeof views
  const { dimensions, measures } = views[view] as { readonly dimensions: readonly string[]; readonly measures: readonly string[] }
  const chosen = new Set(Array.from({ length: random.below(3) }, () => random.pick(dimensions)))
  const metrics = Array.from({ length: 1 + random.below(3) }, () => random.pick(measures)).map((measure, n, all) => ({
    measure,
    aggregation: measure.startsWith('unique') || all.indexOf(measure) < n ? 'uniq' : random.pick(aggregations),
  }))
  const from = random.chance(0.5) ? base : base + random.below(48 * 3600_000)
  const column = random.pick(dimensions.filter(name => !['tags', 'booleanValue', 'promptVersion'].includes(name)))
  const own = random.pick(facts[view]).of[column] ?? null
  const filter = { type: 'stringOptions', column, operator: random.pick(['any of', 'none of']), value: [(own ?? 'nobody') as string] }
  return {
    view,
    dimensions: [...chosen].map(field => ({ field })),
    metrics: [...new Map(metrics.map(each => [`${each.aggregation}${each.measure}`, each])).values()],
    filters: random.chance(0.4) ? [filter] : [],
    timeDimension: random.chance(0.4) ? { granularity: random.pick(['auto', 'hour', 'day', 'week', 'month']) } : null,
    fromTimestamp: withOffset(random, from),
    toTimestamp: withOffset(random, random.pick([base + 73 * 3600_000, from + 3600_000 * (1 + random.below(24))])),
    ...(random.chance(0.5) ? { timeZone: random.pick(zones) } : {}),
    orderBy: null,
    config: { row_limit: 1_000 },
  }
}
