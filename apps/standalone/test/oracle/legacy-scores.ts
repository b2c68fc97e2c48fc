// Computes the expected responses of scores v1 and v2 from the sent data.
import { environments, type Random, type Score, withOffset } from './data.ts'
import type { AskedPages } from './legacy.ts'
import type { LegacyProject } from './legacy-data.ts'

type Row = Readonly<Record<string, unknown>>
type ScoresVersion = 'v1' | 'v2'

function typedValueOf({ dataType, value }: Score): Row {
  switch (dataType) {
    case 'NUMERIC':
      return { value }
    case 'BOOLEAN':
      return { value, stringValue: value === 1 ? 'True' : 'False' }
    case 'CATEGORICAL':
      return { value: 0, stringValue: value }
    case 'TEXT':
      return { stringValue: value }
    default:
      return { value: 0, stringValue: value }
  }
}

export function scoreRow(score: Score, project: LegacyProject, version: ScoresVersion): Row {
  return {
    ...{ id: score.id, projectId: project.id, environment: score.environment, name: score.name, source: 'API', authorUserId: null },
    ...{ comment: score.comment ?? null, metadata: score.metadata ?? {}, configId: null, queueId: null, executionTraceId: null },
    ...{ createdAt: 'time', updatedAt: 'time', timestamp: score.timestamp, dataType: score.dataType, ...typedValueOf(score) },
    ...{ traceId: score.traceId ?? null, observationId: score.observationId ?? null },
    ...(version === 'v2' && { sessionId: score.sessionId ?? null, datasetRunId: score.datasetRunId ?? null }),
  }
}

const traceOf = ({ traceId }: Score, project: LegacyProject) => project.traces.find(({ id }) => id === traceId)

function shownTrace(score: Score, project: LegacyProject, version: ScoresVersion): Row | null {
  const trace = traceOf(score, project)
  if (trace === undefined) return null
  const { userId, tags, environment, sessionId } = trace
  return { userId: userId || null, tags, environment, ...(version === 'v2' && { sessionId: sessionId || null }) }
}

/**
 * True if this version of the scores API returns the score. Version 1 returns the scores of traces and observations, but no corrections.
 */
export const isCovered = (score: Score, version: ScoresVersion) =>
  version === 'v2' || (score.traceId !== undefined && score.dataType !== 'CORRECTION')

const compares: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  ...{
    '<': (a, b) => a < b,
    '>': (a, b) => a > b,
    '<=': (a, b) => a <= b,
    '>=': (a, b) => a >= b,
    '!=': (a, b) => a !== b,
    '=': (a, b) => a === b,
  },
}

export function randomLegacyScores(random: Random, project: LegacyProject): AskedPages {
  const version = random.pick(['v1', 'v2'] as const)
  const parameters: (readonly [string, string])[] = []
  const tests: ((score: Score) => boolean)[] = [score => isCovered(score, version)]
  const example = random.pick(project.scores)
  const trace = traceOf(example, project)
  function simple(chance: number, name: string, values: readonly string[] | undefined, test: (score: Score) => boolean) {
    if (values === undefined || !random.chance(chance)) return
    for (const value of values) parameters.push([name, value])
    tests.push(test)
  }
  simple(0.2, 'name', [example.name], score => score.name === example.name)
  simple(0.2, 'environment', environments.slice(0, 2), score => environments.slice(0, 2).includes(score.environment))
  // A request can contain the parameter `source` only once.
  const source = random.chance(0.7) ? 'API' : 'ANNOTATION'
  simple(0.15, 'source', [source], () => source === 'API')
  simple(0.1, 'scoreIds', [`${example.id},score-7,none`], ({ id }) => id === example.id || id === 'score-7')
  simple(0.2, 'fromTimestamp', [withOffset(random, Date.parse(example.timestamp))], score => score.timestamp >= example.timestamp)
  simple(0.1, 'toTimestamp', [withOffset(random, Date.parse(example.timestamp))], score => score.timestamp < example.timestamp)
  simple(0.1, 'userId', trace?.userId ? [trace.userId] : undefined, score => traceOf(score, project)?.userId === trace?.userId)
  simple(0.1, 'traceTags', trace?.tags, score => trace!.tags.every(tag => traceOf(score, project)?.tags.includes(tag)))
  if (random.chance(0.3)) {
    const operator = random.pick(Object.keys(compares))
    const number = random.pick([0, 0.5, 1])
    parameters.push(['dataType', 'NUMERIC'], ['operator', operator], ['value', String(number)])
    tests.push(score => score.dataType === 'NUMERIC' && compares[operator]!(score.value as number, number))
  } else simple(0.2, 'dataType', [example.dataType], score => score.dataType === example.dataType)
  if (version === 'v2') {
    const { traceId, observationId, sessionId, datasetRunId } = example
    simple(0.1, 'traceId', traceId ? [traceId] : undefined, score => score.traceId === traceId)
    simple(0.1, 'observationId', observationId ? [`${observationId},none`] : undefined, score => score.observationId === observationId)
    simple(0.1, 'sessionId', sessionId ? [sessionId] : undefined, score => score.sessionId === sessionId)
    simple(0.1, 'datasetRunId', datasetRunId ? [datasetRunId] : undefined, score => score.datasetRunId === datasetRunId)
  }
  const hasTraces = random.chance(0.7) || parameters.some(([name]) => name === 'userId' || name === 'traceTags')
  if (!hasTraces) parameters.push(['fields', 'score'])
  const expected = project.scores
    .filter(score => tests.every(test => test(score)))
    .map(score => ({ ...scoreRow(score, project, version), ...(hasTraces && { trace: shownTrace(score, project, version) }) }))
  return {
    ...{ path: version === 'v1' ? '/scores' : '/v2/scores', parameters, expected },
    before: (left, right) =>
      String(right['timestamp']) < String(left['timestamp']) ? -1 : left['timestamp'] === right['timestamp'] ? 0 : 1,
  }
}
