// Computes the expected responses of metrics v2 from the sent data.
import type { Cell, Fact, Score, Span } from './data.ts'
import type { MetricsQuery } from './metrics-queries.ts'
import {
  byText,
  costOf,
  isRoot,
  latencyMs,
  metadataHolds,
  metadataOf,
  type Project,
  sumOf,
  traceNameOf,
  usageOf,
  valueHolds,
} from './observations.ts'

const ms = (micros: number) => Math.floor(micros / 1000)
const none = (text: string | undefined) => text || null
const textOf = (value: unknown) => (value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value))

const observationFact = (span: Span, project: Project): Fact => {
  const usage = usageOf(span),
    cost = costOf(span, project),
    latency = latencyMs(span)
  const streaming = span.completion === undefined ? null : ms(span.end) - ms(span.completion)
  const output = sumOf(usage, 'output')
  return {
    time: span.start,
    metadata: metadataOf(span),
    usage,
    cost,
    of: {
      environment: span.environment,
      type: span.type,
      name: none(span.name),
      level: span.level,
      version: none(span.version),
      tags: span.tags,
      release: none(span.release),
      traceName: none(traceNameOf(span)),
      traceRelease: none(span.release),
      traceVersion: none(span.version),
      providedModelName: none(span.model),
      promptName: none(span.promptName),
      promptVersion: span.promptVersion ?? null,
      isRootObservation: isRoot(span),
      startTimeMonth: new Date(ms(span.start)).toISOString().slice(0, 7),
      id: span.id,
      traceId: span.traceId,
      userId: none(span.userId),
      sessionId: none(span.sessionId),
      parentObservationId: none(span.parent),
      experimentName: none(span.experiment['name']),
      experimentDatasetId: none(span.experiment['dataset.id']),
      experimentId: none(span.experiment['id']),
      ...Object.fromEntries(Object.entries(metadataOf(span)).map(([key, value]) => [`metadata.${key}`, none(textOf(value))])),
    },
    measures: {
      count: 1,
      traceId: span.traceId,
      uniqueUserIds: none(span.userId),
      uniqueSessionIds: none(span.sessionId),
      latency,
      streamingLatency: streaming,
      timeToFirstToken: span.completion === undefined ? null : ms(span.completion) - ms(span.start),
      inputTokens: sumOf(usage, 'input'),
      outputTokens: output,
      totalTokens: usage['total'] ?? 0,
      outputTokensPerSecond: !streaming ? null : output / (streaming / 1000),
      tokensPerSecond: latency === 0 ? null : (usage['total'] ?? 0) / (latency / 1000),
      inputCost: sumOf(cost, 'input'),
      outputCost: sumOf(cost, 'output'),
      totalCost: cost['total'] ?? 0,
      countScores: project.scores.filter(score => score.traceId === span.traceId && score.observationId === span.id).length,
      toolDefinitions: null,
      toolCalls: null,
    },
  }
}

const scoreFact = (score: Score, project: Project): Fact => {
  const first = (test: (span: Span) => boolean) =>
    project.spans.filter(span => span.traceId === score.traceId && test(span)).sort((a, b) => a.start - b.start || byText(a.id, b.id))[0]
  const trace = first(({ parent }) => parent === '')
  const observation = first(({ id }) => id === score.observationId)
  const time = Date.parse(score.timestamp) * 1000
  const numeric = typeof score.value === 'number'
  return {
    time,
    metadata: {},
    usage: {},
    cost: {},
    of: {
      environment: score.environment,
      name: score.name,
      source: 'API',
      dataType: score.dataType,
      configId: null,
      timestampMonth: score.timestamp.slice(0, 7),
      timestampDay: score.timestamp.slice(0, 10),
      traceName: trace === undefined ? null : none(traceNameOf(trace)),
      tags: trace?.tags ?? [],
      traceRelease: none(trace?.release),
      traceVersion: none(trace?.version),
      observationName: none(observation?.name),
      observationModelName: none(observation?.model),
      observationPromptName: none(observation?.promptName),
      observationPromptVersion: observation?.promptVersion ?? null,
      value: numeric ? score.value : null,
      booleanValue: score.value === 1,
      stringValue: numeric ? null : score.value,
      id: score.id,
      traceId: none(score.traceId),
      userId: none(trace?.userId),
      sessionId: none(score.sessionId),
      observationId: none(score.observationId),
      datasetRunId: none(score.datasetRunId),
      experimentName: none(observation?.experiment['name']),
      experimentId: none(observation?.experiment['id']),
    },
    measures: { count: 1, value: numeric ? score.value : null },
  }
}

const dataTypes = { 'scores-numeric': ['NUMERIC', 'BOOLEAN'], 'scores-boolean': ['BOOLEAN'], 'scores-categorical': ['CATEGORICAL'] }
function aggregate(aggregation: string, all: readonly Cell[]): unknown {
  const values = all.filter(value => value !== null)
  if (aggregation === 'count') return values.length
  if (aggregation === 'uniq') return new Set(values).size
  const sorted = (values as number[]).toSorted((a, b) => a - b)
  if (aggregation === 'histogram') return sorted
  const sum = sorted.reduce((a, b) => a + b, 0)
  if (aggregation === 'sum') return sum
  if (sorted.length === 0) return null
  if (aggregation === 'avg') return sum / sorted.length
  if (aggregation === 'min') return sorted[0]
  if (aggregation === 'max') return sorted.at(-1)
  const at = (Number(aggregation.slice(1)) / 100) * (sorted.length - 1)
  const low = sorted[Math.floor(at)]!
  return low + (sorted[Math.ceil(at)]! - low) * (at - Math.floor(at))
}

const formats = new Map<string, Intl.DateTimeFormat>()
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const of = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...of })
  formats.set(timeZone, format)
  return format
}
/** Returns how far the zone's clock is ahead of UTC at this time, in milliseconds. */
function aheadOf(zone: string, time: number): number {
  const parts = formatOf(zone).formatToParts(time)
  const of = (type: string) => Number(parts.find(part => part.type === type)!.value)
  const local = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  return local - Math.floor(time / 1000) * 1000
}

/**
 * Returns the start of the bucket that contains `time`. For a bucket of a minute or an hour, the start is returned as a UTC time. For a
 * longer bucket, the start is returned as a local date.
 */
function bucketOf(time: number, granularity: string, zone: string): string {
  const ahead = aheadOf(zone, time)
  const local = time + ahead
  const day = (at: number) => new Date(at).toISOString().slice(0, 10)
  const begun = (unit: number) => `${new Date(local - (local % unit) - ahead).toISOString().slice(0, 19)}Z`
  if (granularity === 'minute') return begun(60_000)
  if (granularity === 'hour') return begun(3_600_000)
  if (granularity === 'day') return day(local)
  if (granularity === 'month') return `${day(local).slice(0, 7)}-01`
  return day(local - ((new Date(local).getUTCDay() + 6) % 7) * 86_400_000)
}
type ViewlessQuery = Omit<MetricsQuery, 'view'>

function granularityOf({ timeDimension, fromTimestamp, toTimestamp }: ViewlessQuery): string {
  const { granularity } = timeDimension!
  if (granularity !== 'auto') return granularity
  const hours = (Date.parse(toTimestamp) - Date.parse(fromTimestamp)) / 3600_000
  return hours < 2 ? 'minute' : hours < 72 ? 'hour' : hours < 60 * 24 ? 'day' : hours < 365 * 24 ? 'week' : 'month'
}

export const factsOf = (project: Project): Record<MetricsQuery['view'], readonly Fact[]> => {
  const scores = (view: keyof typeof dataTypes) =>
    project.scores.filter(({ dataType }) => dataTypes[view].includes(dataType)).map(score => scoreFact(score, project))
  return {
    observations: project.spans.map(span => observationFact(span, project)),
    'scores-numeric': scores('scores-numeric'),
    'scores-boolean': scores('scores-boolean'),
    'scores-categorical': scores('scores-categorical'),
  }
}

const compareCells = (left: unknown, right: unknown): number =>
  left === right
    ? 0
    : left === null
      ? 1
      : right === null
        ? -1
        : typeof left === 'string'
          ? byText(left, right as string)
          : Number(left) - Number(right)

export function metricsRows(query: ViewlessQuery, all: readonly Fact[]): Record<string, unknown>[] {
  const from = Date.parse(query.fromTimestamp) * 1000,
    to = Date.parse(query.toTimestamp) * 1000
  const names = query.dimensions.map(({ field }) => field)
  const byType = query.metrics.find(({ measure }) => measure.endsWith('ByType'))
  const auto = byType === undefined ? undefined : byType.measure === 'costByType' ? 'costType' : 'usageType'
  if (auto !== undefined && !names.includes(auto)) names.push(auto)
  const explodedBy = names.includes('costType') ? 'cost' : names.includes('usageType') ? 'usage' : undefined
  const facts = all.filter(
    fact =>
      fact.time >= from &&
      fact.time < to &&
      query.filters.every(filter =>
        filter.column === 'metadata'
          ? metadataHolds(fact.metadata, filter)
          : valueHolds(filter.type === 'datetime' ? fact.time : (fact.of[filter.column] ?? null), filter),
      ),
  )
  const entries = facts.flatMap((fact): Fact[] =>
    explodedBy === undefined
      ? [fact]
      : Object.entries(fact[explodedBy]).map(([key, value]) => ({
          ...fact,
          of: { ...fact.of, [`${explodedBy}Type`]: key },
          measures: { ...fact.measures, [`${explodedBy}ByType`]: value },
        })),
  )
  const granularity = query.timeDimension === null ? undefined : granularityOf(query)
  const zone = query.timeZone ?? 'UTC'
  const groups = new Map<string, { key: Record<string, unknown>; facts: Fact[] }>()
  const group = (key: Record<string, unknown>) => {
    const id = JSON.stringify(key)
    const found = groups.get(id) ?? { key, facts: [] }
    groups.set(id, found)
    return found
  }
  if (names.length === 0 && granularity === undefined) group({})
  for (const fact of entries) {
    group({
      ...Object.fromEntries(names.map(name => [name, fact.of[name] ?? null])),
      ...(granularity === undefined ? {} : { time_dimension: bucketOf(ms(fact.time), granularity, zone) }),
    }).facts.push(fact)
  }
  if (granularity !== undefined && query.orderBy === null) {
    const seen = new Set([...groups.values()].map(({ key }) => key['time_dimension']))
    const end = bucketOf(Date.parse(query.toTimestamp), granularity, zone)
    for (let at = Date.parse(query.fromTimestamp); ; at += 60_000) {
      const bucket = bucketOf(at, granularity, zone)
      if (bucket >= end) break
      if (!seen.has(bucket))
        group({ ...Object.fromEntries(names.map(name => [name, name === 'tags' ? [] : null])), time_dimension: bucket })
      seen.add(bucket)
    }
  }
  const rows = [...groups.values()].map(({ key, facts: own }) => ({
    ...key,
    ...Object.fromEntries(
      query.metrics.map(({ measure, aggregation }) => [
        `${aggregation}_${measure}`,
        aggregate(
          aggregation,
          own.map(fact => fact.measures[measure] ?? null),
        ),
      ]),
    ),
  })) as Record<string, unknown>[]
  return rows.sort((left, right) => {
    for (const { field, direction } of orderOf(query)) {
      const found = compareCells(left[field], right[field])
      if (found !== 0) return direction === 'asc' || left[field] === null || right[field] === null ? found : -found
    }
    return 0
  })
}
const orderOf = ({ orderBy, timeDimension, metrics }: ViewlessQuery) =>
  orderBy ??
  (timeDimension === null
    ? [{ field: `${metrics[0]!.aggregation}_${metrics[0]!.measure}`, direction: 'desc' as const }]
    : [{ field: 'time_dimension', direction: 'asc' as const }])

const close = (left: unknown, right: unknown) =>
  left === right ||
  (typeof left === 'number' &&
    typeof right === 'number' &&
    Math.abs(left - right) <= 1e-9 * Math.max(1e-9, Math.abs(left), Math.abs(right)))
function same(want: unknown, got: unknown, histogram: boolean, bins: number): boolean {
  if (!histogram) return Array.isArray(want) ? JSON.stringify(want) === JSON.stringify(got) : close(want, got)
  const values = want as number[],
    bars = got as [number, number, number][]
  if (values.length === 0) return bars.length === 0
  return (
    bars.length <= bins &&
    close(bars[0]![0], values[0]) &&
    close(bars.at(-1)![1], values.at(-1)) &&
    close(
      bars.reduce((sum, [, , height]) => sum + height, 0),
      values.length,
    ) &&
    bars.every(([low, high_], n) => low <= high_ && (n === 0 || close(low, bars[n - 1]![1])))
  )
}

export function metricsDifference(
  query: ViewlessQuery,
  want: readonly Record<string, unknown>[],
  got: readonly Record<string, unknown>[],
): string | undefined {
  const limit = query.config.row_limit ?? 100
  if (got.length !== Math.min(limit, want.length))
    return `${Math.min(limit, want.length)} rows expected, got ${got.length}: ${JSON.stringify(want.slice(0, 2))} ${JSON.stringify(got.slice(0, 2))}`
  for (const [n, row] of got.entries()) {
    for (const { field } of orderOf(query)) {
      if (query.metrics.some(({ aggregation }) => aggregation === 'histogram' && field.startsWith(aggregation))) continue
      if (!close(row[field], want[n]![field]))
        return `order, row ${n}: ${field} ${JSON.stringify(want[n]![field])} ${JSON.stringify(row[field])}`
    }
  }
  const metric = (name: string) => query.metrics.some(({ measure, aggregation }) => `${aggregation}_${measure}` === name)
  const id = (row: Record<string, unknown>) =>
    JSON.stringify(
      Object.entries(row)
        .filter(([name]) => !metric(name))
        .sort(([a], [b]) => byText(a, b)),
    )
  const wanted = new Map(want.map(row => [id(row), row]))
  if (new Set(got.map(id)).size !== got.length) return 'a group twice'
  for (const row of got) {
    const expected = wanted.get(id(row))
    if (expected === undefined) return `no such group: ${id(row)}; ${id(want[0]!)}`
    for (const name of new Set([...Object.keys(row), ...Object.keys(expected)])) {
      if (!same(expected[name], row[name], name.startsWith('histogram_'), query.config.bins ?? 10))
        return `${id(row)} ${name}: expected ${JSON.stringify(expected[name])?.slice(0, 300)} got ${JSON.stringify(row[name])?.slice(0, 300)}`
    }
  }
  return undefined
}
