// Computes which responses the legacy reads must return for the sent data. These reads return traces, observations, sessions and daily
// metrics.
import { costOfCall, defaultPricesOf, isPriced, promptIdOf, tierOf } from './catalog.ts'
import { type Cell, type Random, withOffset } from './data.ts'
import type { LegacyProject, Observation, Trace } from './legacy-data.ts'
import { scoreCondition, scoresHold } from './legacy-score-conditions.ts'
import { type Condition, metadataHolds, sumOf, valueHolds } from './observations.ts'

type Row = Readonly<Record<string, unknown>>
type Parameters = (readonly [string, string])[]
/** `before` defines the order of the rows. If two rows are equal in this order, the server can return them in any order. */
export interface AskedPages {
  readonly path: string
  readonly parameters: Parameters
  readonly expected: readonly Row[]
  readonly before: (left: Row, right: Row) => number
}

export const iso = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString())
export const none = (text: string) => (text === '' ? null : text)
const round = (value: number) => Number(value.toFixed(9))
export const sum = (values: readonly number[]) => round(values.reduce((a, b) => a + b, 0))
const withTotal = (amounts: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.keys(amounts).length === 0 || 'total' in amounts ? amounts : { ...amounts, total: sum(Object.values(amounts)) }
export const usageOf = (of: Observation) => withTotal(of.usage)
export const costOf = (of: Observation, { catalog }: LegacyProject) => costOfCall(of, catalog)

function shownContent(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? null
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}

export const observationsOf = (trace: Trace, project: LegacyProject) => project.observations.filter(({ traceId }) => traceId === trace.id)
const scoresOf = (trace: Trace, project: LegacyProject) => project.scores.filter(({ traceId }) => traceId === trace.id)

export function latencyOf(observations: readonly Observation[]): number {
  if (observations.length === 0) return 0
  const starts = observations.map(({ start }) => start)
  return Math.max(...observations.map(({ start, end }) => Math.max(start, end ?? start))) - Math.min(...starts)
}

function baseOf(trace: Trace, project: LegacyProject): Row {
  return {
    ...{ id: trace.id, externalId: null, timestamp: iso(trace.at), name: none(trace.name), userId: none(trace.userId) },
    ...{ release: none(trace.release), version: none(trace.version), projectId: project.id, environment: trace.environment },
    ...{
      public: trace.public,
      bookmarked: false,
      tags: trace.tags,
      sessionId: none(trace.sessionId),
      createdAt: 'time',
      updatedAt: 'time',
    },
  }
}
const ioOf = ({ input, output, metadata }: Trace | Observation) => ({
  ...{ input: shownContent(input), output: shownContent(output), metadata },
})

export function traceRow(trace: Trace, project: LegacyProject, groups: ReadonlySet<string>): Row {
  const observations = observationsOf(trace, project)
  return {
    ...baseOf(trace, project),
    ...(groups.has('io') ? ioOf(trace) : {}),
    htmlPath: `/project/${project.id}/traces/${trace.id}`,
    observations: groups.has('observations') ? observations.map(({ id }) => id).sort() : [],
    scores: groups.has('scores')
      ? scoresOf(trace, project)
          .map(({ id }) => id)
          .sort()
      : [],
    totalCost: groups.has('metrics') ? sum(observations.map(each => costOf(each, project)['total'] ?? 0)) : -1,
    latency: groups.has('metrics') ? latencyOf(observations) / 1000 : -1,
  }
}

const sumOrNull = (amounts: Readonly<Record<string, number>>, part: string) =>
  Object.keys(amounts).some(key => key.toLowerCase().includes(part)) ? sumOf(amounts, part) : null
const between = (from: number, to: number | undefined) => (to === undefined ? null : (to - from) / 1000)

export function observationRow(of: Observation, project: LegacyProject): Row {
  const [usage, cost] = [usageOf(of), costOf(of, project)]
  const tier = tierOf(of, project.catalog)
  const prices = isPriced(of) ? defaultPricesOf(project.catalog) : undefined
  const tokens = { input: sumOf(usage, 'input'), output: sumOf(usage, 'output'), total: usage['total'] ?? 0 }
  return {
    ...{ id: of.id, projectId: project.id, traceId: of.traceId, parentObservationId: none(of.parent), name: none(of.name) },
    ...{ type: of.type, environment: of.environment, startTime: iso(of.start), endTime: iso(of.end), version: none(of.version) },
    ...{ createdAt: 'time', updatedAt: 'time', ...ioOf(of), level: of.level, statusMessage: none(of.statusMessage) },
    ...{ model: none(of.model), modelParameters: of.modelParameters, completionStartTime: iso(of.completion) },
    promptId: (of.prompt && promptIdOf(project.catalog, of.prompt.name, of.prompt.version)) ?? null,
    ...{ promptName: of.prompt?.name ?? null, promptVersion: of.prompt?.version ?? null, usageDetails: usage, costDetails: cost },
    ...{ usage: { unit: 'TOKENS', ...tokens }, unit: 'TOKENS' },
    ...{ promptTokens: tokens.input, completionTokens: tokens.output, totalTokens: tokens.total },
    ...{ usagePricingTierName: tier?.name ?? null, usagePricingTierId: tier?.id ?? null },
    ...{ modelId: prices ? project.catalog.model.id : null },
    ...{ inputPrice: prices?.input ?? null, outputPrice: prices?.output ?? null, totalPrice: null },
    ...{ calculatedInputCost: sumOrNull(cost, 'input'), calculatedOutputCost: sumOrNull(cost, 'output') },
    ...{
      calculatedTotalCost: cost['total'] ?? null,
      latency: between(of.start, of.end),
      timeToFirstToken: between(of.start, of.completion),
    },
  }
}

type Kind = 's' | 'n' | 'd' | 'a' | 'b'
type Columns<T> = Readonly<Record<string, readonly [kind: Kind, get: (of: T, project: LegacyProject) => Cell]>>

const total =
  (part: string, amounts: (of: Observation, project: LegacyProject) => Readonly<Record<string, number>>) =>
  (trace: Trace, project: LegacyProject) =>
    sum(
      observationsOf(trace, project).map(each =>
        part === 'total' ? (amounts(each, project)['total'] ?? 0) : sumOf(amounts(each, project), part),
      ),
    )
const levels = ['ERROR', 'WARNING', 'DEFAULT', 'DEBUG']
const counted = (level: string) => (trace: Trace, project: LegacyProject) =>
  observationsOf(trace, project).filter(each => each.level === level).length

export const traceColumns: Columns<Trace> = {
  ...{ id: ['s', of => of.id], name: ['s', of => of.name], timestamp: ['d', of => of.at * 1000], userId: ['s', of => of.userId] },
  ...{ sessionId: ['s', of => of.sessionId], environment: ['s', of => of.environment], version: ['s', of => of.version] },
  ...{ release: ['s', of => of.release], tags: ['a', of => of.tags], bookmarked: ['b', () => false] },
  latency: ['n', (of, project) => latencyOf(observationsOf(of, project)) / 1000],
  ...{ inputTokens: ['n', total('input', usageOf)], outputTokens: ['n', total('output', usageOf)] },
  ...{ totalTokens: ['n', total('total', usageOf)], tokens: ['n', total('total', usageOf)] },
  ...{ inputCost: ['n', total('input', costOf)], outputCost: ['n', total('output', costOf)], totalCost: ['n', total('total', costOf)] },
  level: ['s', (of, project) => levels.find(level => observationsOf(of, project).some(each => each.level === level)) ?? ''],
  ...{ warningCount: ['n', counted('WARNING')], errorCount: ['n', counted('ERROR')] },
  ...{ defaultCount: ['n', counted('DEFAULT')], debugCount: ['n', counted('DEBUG')] },
}

const traceOf = (of: Observation, project: LegacyProject) => project.traces.find(({ id }) => id === of.traceId)!

const observationColumns: Columns<Observation> = {
  ...{ id: ['s', of => of.id], type: ['s', of => of.type], name: ['s', of => of.name], traceId: ['s', of => of.traceId] },
  ...{ startTime: ['d', of => of.start * 1000], endTime: ['d', of => (of.end === undefined ? null : of.end * 1000)] },
  ...{ environment: ['s', of => of.environment], level: ['s', of => of.level], statusMessage: ['s', of => of.statusMessage] },
  ...{ version: ['s', of => of.version], latency: ['n', of => between(of.start, of.end)] },
  timeToFirstToken: ['n', of => between(of.start, of.completion)],
  tokensPerSecond: ['n', of => (between(of.start, of.end) ? sumOf(usageOf(of), 'output') / between(of.start, of.end)! : null)],
  ...{ inputTokens: ['n', of => sumOf(usageOf(of), 'input')], outputTokens: ['n', of => sumOf(usageOf(of), 'output')] },
  ...{ totalTokens: ['n', of => usageOf(of)['total'] ?? null], tokens: ['n', of => usageOf(of)['total'] ?? null] },
  ...{
    inputCost: ['n', (of, project) => sumOf(costOf(of, project), 'input')],
    outputCost: ['n', (of, project) => sumOf(costOf(of, project), 'output')],
  },
  ...{ totalCost: ['n', (of, project) => costOf(of, project)['total'] ?? null], model: ['s', of => of.model] },
  ...{ promptName: ['s', of => of.prompt?.name ?? ''], promptVersion: ['n', of => of.prompt?.version ?? null] },
  ...{ userId: ['s', (of, project) => traceOf(of, project).userId], traceName: ['s', (of, project) => traceOf(of, project).name] },
  traceEnvironment: ['s', (of, project) => traceOf(of, project).environment],
  traceTags: ['a', (of, project) => traceOf(of, project).tags],
}

const operators = {
  ...{ s: ['=', 'contains', 'does not contain', 'starts with', 'ends with'], n: ['=', '>', '<', '>=', '<='], d: ['>', '<', '>=', '<='] },
  ...{ a: ['any of', 'none of', 'all of'], b: ['=', '<>'] },
} as const
const types = { s: 'string', n: 'number', d: 'datetime', a: 'arrayOptions', b: 'boolean' } as const

function piece(random: Random, text: string): string {
  const points = [...text]
  const at = random.below(points.length + 1)
  return random.pick([text, points.slice(at, at + 1 + random.below(6)).join(''), points.slice(0, at).join(''), points.slice(at).join('')])
}

function columnCondition<T>(random: Random, columns: Columns<T>, example: T, project: LegacyProject): Condition {
  const column = random.pick(Object.keys(columns))
  const [kind, get] = columns[column]!
  const own = get(example, project)
  if ((kind === 's' || kind === 'n') && random.chance(0.1))
    return { type: 'null', column, operator: random.pick(['is null', 'is not null']), value: '' }
  if (kind === 's' && random.chance(0.3))
    return { type: 'stringOptions', column, operator: random.pick(['any of', 'none of']), value: [own as string, 'nobody'] }
  const value = {
    s: () => piece(random, own as string),
    n: () => (random.chance(0.8) ? (own ?? 1) : random.pick([0, 1, 0.5])),
    d: () => withOffset(random, ((own as number | null) ?? middle) / 1000),
    a: () => random.pick([['red'], ['blue', 'ü'], ['g,h']]),
    b: () => random.chance(0.5),
  }[kind]()
  return { type: types[kind], column, operator: random.pick(operators[kind] as readonly string[]), value }
}
/** A condition on a time column uses this time if the column's value in `example` is null. */
const middle = Date.UTC(2026, 5, 30) * 1000

/** Creates a condition on a top-level key of the metadata. The old tables store one text for each top-level key. */
function metadataCondition(random: Random, { metadata }: Trace | Observation): Condition {
  const type = random.pick(['stringObject', 'stringObject', 'numberObject', 'booleanObject'])
  const key = random.pick([...Object.keys(metadata), 'k', 'seats', 'x.y', 'x', 'none'])
  const own = metadata[key]
  if (type === 'numberObject')
    return { type, column: 'metadata', key, operator: random.pick(operators.n), value: random.pick([5, 0, -2.5, 3]) }
  if (type === 'booleanObject') return { type, column: 'metadata', key, operator: random.pick(operators.b), value: random.chance(0.5) }
  const text = typeof own === 'string' ? own : own === undefined ? 'fox' : JSON.stringify(own)
  return { type, column: 'metadata', key, operator: random.pick(operators.s), value: piece(random, text) }
}

function holds<T extends Trace | Observation>(of: T, condition: Condition, columns: Columns<T>, project: LegacyProject): boolean {
  if (condition.column === 'metadata') return metadataHolds(of.metadata, condition)
  const column = columns[condition.column]
  if (column !== undefined) return valueHolds(column[1](of, project), condition)
  return scoresHold(
    project.scores.filter(({ traceId }) => traceId === of.id),
    condition,
  )
}

export interface Simple<T> {
  readonly parameter: string
  readonly values: readonly string[]
  readonly column: string
  readonly test: (of: T) => boolean
}
/**
 * Returns the rows that pass the filter and the query parameters. If the filter has a condition on a column, the query parameters for this
 * column are ignored.
 */
export function passing<T extends Trace | Observation>(
  all: readonly T[],
  columns: Columns<T>,
  conditions: readonly Condition[],
  simple: readonly Simple<T>[],
  project: LegacyProject,
): { readonly parameters: Parameters; readonly rows: readonly T[] } {
  const parameters: Parameters = simple.flatMap(({ parameter, values }) => values.map(value => [parameter, value] as const))
  if (conditions.length > 0) parameters.push(['filter', JSON.stringify(conditions)])
  const kept = simple.filter(({ column }) => conditions.every(condition => condition.column !== column))
  const rows = all.filter(of => kept.every(({ test }) => test(of)) && conditions.every(each => holds(of, each, columns, project)))
  return { parameters, rows }
}

export const some = <T>(random: Random, chance: number, of: T): readonly T[] => (random.chance(chance) ? [of] : [])
export const is = <T>(parameter: string, value: string, get: (of: T) => string): Simple<T> => ({
  ...{ parameter, values: [value], column: parameter, test: of => get(of) === value },
})
export const descending = (name: string) => (left: Row, right: Row) =>
  String(right[name]) < String(left[name]) ? -1 : left[name] === right[name] ? 0 : 1

const traceGroups = ['core', 'io', 'scores', 'observations', 'metrics']

export function randomTraces(random: Random, project: LegacyProject): AskedPages {
  const example = random.pick(project.traces)
  const conditions = Array.from({ length: random.below(3) }, () =>
    random.chance(0.15)
      ? scoreCondition(random)
      : random.chance(0.2)
        ? metadataCondition(random, example)
        : columnCondition(random, traceColumns, example, project),
  )
  const from = example.at - random.below(20 * 3600_000)
  const simple: Simple<Trace>[] = [
    ...(['name', 'userId', 'sessionId', 'version', 'release'] as const).flatMap(name =>
      example[name] === ''
        ? []
        : some(
            random,
            0.1,
            is<Trace>(name, example[name], of => of[name]),
          ),
    ),
    ...some(random, 0.1, {
      parameter: 'tags',
      values: example.tags,
      column: 'tags',
      test: (of: Trace) => example.tags.every(tag => of.tags.includes(tag)),
    }),
    ...some(random, 0.1, {
      ...{ parameter: 'environment', values: ['prod', example.environment], column: 'environment' },
      test: (of: Trace) => ['prod', example.environment].includes(of.environment),
    }),
    ...some(random, 0.2, {
      parameter: 'fromTimestamp',
      values: [withOffset(random, from)],
      column: 'timestamp',
      test: (of: Trace) => of.at >= from,
    }),
    ...some(random, 0.2, {
      ...{
        parameter: 'toTimestamp',
        values: [withOffset(random, example.at)],
        column: 'timestamp',
        test: (of: Trace) => of.at < example.at,
      },
    }),
  ]
  const { parameters, rows } = passing(project.traces, traceColumns, conditions, simple, project)
  const groups = random.chance(0.4) ? traceGroups : traceGroups.filter(() => random.chance(0.5))
  if (groups !== traceGroups && groups.length > 0) parameters.push(['fields', groups.join(',')])
  const order = random.pick([undefined, undefined, ['timestamp', 'asc'], ['id', 'desc'], ['id', 'asc']] as const)
  if (order !== undefined) parameters.push(['orderBy', order.join('.')])
  const [name, direction] = order ?? ['timestamp', 'desc']
  const shown = new Set(groups.length === 0 ? traceGroups : groups)
  const down = descending(name)
  return {
    ...{ path: '/traces', parameters, expected: rows.map(each => traceRow(each, project, shown)) },
    before: direction === 'desc' ? down : (left, right) => down(right, left),
  }
}

export function randomLegacyObservations(random: Random, project: LegacyProject): AskedPages {
  const example = random.pick(project.observations)
  const conditions = Array.from({ length: random.below(3) }, () =>
    random.chance(0.2) ? metadataCondition(random, example) : columnCondition(random, observationColumns, example, project),
  )
  const { userId } = traceOf(example, project)
  const simple: Simple<Observation>[] = [
    ...(['name', 'type', 'level', 'version', 'traceId'] as const).flatMap(name =>
      example[name] === ''
        ? []
        : some(
            random,
            0.1,
            is<Observation>(name, example[name], of => of[name]),
          ),
    ),
    ...(example.parent === ''
      ? []
      : some(
          random,
          0.1,
          is<Observation>('parentObservationId', example.parent, of => of.parent),
        )),
    ...(userId === ''
      ? []
      : some(
          random,
          0.1,
          is<Observation>('userId', userId, of => traceOf(of, project).userId),
        )),
    ...some(random, 0.1, {
      ...{ parameter: 'environment', values: ['prod', example.environment], column: 'environment' },
      test: (of: Observation) => ['prod', example.environment].includes(of.environment),
    }),
    ...some(random, 0.2, {
      ...{
        parameter: 'fromStartTime',
        values: [withOffset(random, example.start)],
        column: 'startTime',
        test: (of: Observation) => of.start >= example.start,
      },
    }),
    ...some(random, 0.1, {
      ...{ parameter: 'toStartTime', values: [withOffset(random, example.start + 9e6)], column: 'startTime' },
      test: (of: Observation) => of.start < example.start + 9e6,
    }),
  ]
  const { parameters, rows } = passing(project.observations, observationColumns, conditions, simple, project)
  const expected = rows.map(each => observationRow(each, project))
  return { path: '/observations', parameters, expected, before: descending('startTime') }
}

export const sessionTraces = (id: string, project: LegacyProject): readonly Row[] =>
  project.traces.filter(({ sessionId }) => sessionId === id).map(each => ({ ...baseOf(each, project), ...ioOf(each) }))
