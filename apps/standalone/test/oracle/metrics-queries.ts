// Creates random queries of metrics v2.
import { base, type Fact, type Random, withOffset } from './data.ts'
import type { Condition } from './observations.ts'

const ms = (micros: number) => Math.floor(micros / 1000)

const observationDimensions = [
  'environment',
  'type',
  'name',
  'level',
  'version',
  'tags',
  'release',
  'traceName',
  'traceRelease',
  'traceVersion',
  'providedModelName',
  'promptName',
  'promptVersion',
  'isRootObservation',
  'startTimeMonth',
  'costType',
  'usageType',
]
const scoreDimensions = [
  'environment',
  'name',
  'source',
  'dataType',
  'configId',
  'timestampMonth',
  'timestampDay',
  'traceName',
  'tags',
  'traceRelease',
  'traceVersion',
  'observationName',
  'observationModelName',
  'observationPromptName',
  'observationPromptVersion',
]
const high = ['id', 'traceId', 'userId', 'sessionId', 'experimentName', 'experimentId']
const ofMetadata = ['k', 'a.b', 'a.c.d', 'x.y', 'with space', 'ümlaut', 'scope.name', 'none'].map(key => `metadata.${key}`)
/** Time zones. The offsets from UTC include whole hours, half hours and quarters of an hour. */
export const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Auckland']
const numericMeasures = [
  'count',
  'latency',
  'streamingLatency',
  'timeToFirstToken',
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'outputTokensPerSecond',
  'tokensPerSecond',
  'inputCost',
  'outputCost',
  'totalCost',
  'countScores',
  'toolDefinitions',
  'toolCalls',
  'costByType',
  'usageByType',
]
const views = {
  observations: {
    dimensions: [...observationDimensions, ...ofMetadata],
    high: [...high, 'parentObservationId', 'experimentDatasetId'],
    measures: [...numericMeasures, 'traceId', 'uniqueUserIds', 'uniqueSessionIds'],
  },
  'scores-numeric': {
    dimensions: [...scoreDimensions, 'value'],
    high: [...high, 'observationId', 'datasetRunId'],
    measures: ['count', 'value'],
  },
  'scores-boolean': {
    dimensions: [...scoreDimensions, 'booleanValue'],
    high: [...high, 'observationId', 'datasetRunId'],
    measures: ['count', 'value'],
  },
  'scores-categorical': {
    dimensions: [...scoreDimensions, 'stringValue'],
    high: [...high, 'observationId', 'datasetRunId'],
    measures: ['count'],
  },
} as const
const texts = ['traceId', 'uniqueUserIds', 'uniqueSessionIds']
const aggregations = ['sum', 'avg', 'count', 'max', 'min', 'p50', 'p75', 'p90', 'p95', 'p99', 'histogram', 'uniq']

export interface MetricsQuery {
  readonly view: keyof typeof views
  readonly dimensions: readonly { readonly field: string }[]
  readonly metrics: readonly { readonly measure: string; readonly aggregation: string }[]
  readonly filters: readonly Condition[]
  readonly timeDimension: { readonly granularity: string } | null
  readonly fromTimestamp: string
  readonly toTimestamp: string
  readonly orderBy: readonly { readonly field: string; readonly direction: 'asc' | 'desc' }[] | null
  readonly timeZone?: string
  readonly config: { readonly bins?: number; readonly row_limit?: number }
}

const kinds: Readonly<Record<string, 'n' | 'b' | 'a'>> = {
  promptVersion: 'n',
  observationPromptVersion: 'n',
  value: 'n',
  isRootObservation: 'b',
  booleanValue: 'b',
  tags: 'a',
}
const piece = (random: Random, text: string) => [...text].slice(0, 1 + random.below(4)).join('')

function randomFilter(random: Random, view: MetricsQuery['view'], facts: readonly Fact[]): Condition {
  const fact = random.pick(facts)
  if (view === 'observations' && random.chance(0.2)) {
    const key = random.pick(['k', 'a.b', 'x.y', 'seats', 'scope.name'])
    const operator = random.pick(['=', 'contains', 'does not contain', 'starts with', 'is set', 'is not set'])
    return {
      type: 'stringObject',
      column: 'metadata',
      key,
      operator,
      value: operator.startsWith('is') ? '' : random.pick(['5', 'fox', 'true', 'x', 'text fox']),
    }
  }
  if (random.chance(0.1))
    return {
      type: 'datetime',
      column: view === 'observations' ? 'start_time' : 'timestamp',
      operator: random.pick(['>', '<', '>=', '<=']),
      value: new Date(ms(fact.time)).toISOString(),
    }
  const column = random.pick([...views[view].dimensions, ...views[view].high].filter(each => !each.endsWith('Type') || each === 'dataType'))
  const own = fact.of[column] ?? null
  const kind = kinds[column]
  if (random.chance(0.15) && kind !== 'a' && kind !== 'b')
    return { type: 'null', column, operator: random.pick(['is null', 'is not null']), value: '' }
  if (kind === 'n') return { type: 'number', column, operator: random.pick(['=', '>', '<', '>=', '<=']), value: own ?? 3 }
  if (kind === 'b') return { type: 'boolean', column, operator: random.pick(['=', '<>']), value: random.chance(0.5) }
  if (kind === 'a')
    return {
      type: 'arrayOptions',
      column,
      operator: random.pick(['any of', 'none of', 'all of']),
      value: random.pick([['red'], ['blue', 'ü']]),
    }
  if (random.chance(0.4))
    return { type: 'stringOptions', column, operator: random.pick(['any of', 'none of']), value: [(own ?? 'nobody') as string] }
  const operator = random.pick(['=', 'contains', 'does not contain', 'starts with', 'ends with'])
  return { type: 'string', column, operator, value: operator === '=' ? (own ?? '') : piece(random, (own ?? '') as string) }
}

export function randomMetrics(random: Random, facts: Readonly<Record<MetricsQuery['view'], readonly Fact[]>>): MetricsQuery {
  const view = random.pick(['observations', 'observations', ...Object.keys(views)]) as MetricsQuery['view']
  const { dimensions, measures, high: many } = views[view]
  const time = random.chance(0.4)
  const chosen = new Set(Array.from({ length: random.below(3) }, () => random.pick(dimensions as readonly string[])))
  if (chosen.has('costType')) chosen.delete('usageType')
  const ordersHigh = !time && random.chance(0.15)
  if (ordersHigh) chosen.add(random.pick(many as readonly string[]))
  const metrics = new Map<string, MetricsQuery['metrics'][number]>()
  for (let n = 0; n < 1 + random.below(3); n++) {
    const measure = random.pick(measures as readonly string[])
    if (
      (measure === 'costByType' && (chosen.has('usageType') || metrics.has('usageByType'))) ||
      (measure === 'usageByType' && (chosen.has('costType') || metrics.has('costByType')))
    )
      continue
    if (measure.endsWith('ByType')) metrics.set(measure, { measure, aggregation: 'sum' })
    const aggregation = texts.includes(measure) ? random.pick(['count', 'uniq']) : random.pick(aggregations)
    metrics.set(`${aggregation}${measure}`, { measure, aggregation })
  }
  if (metrics.size === 0) metrics.set('', { measure: 'count', aggregation: 'count' })
  const asked = [...metrics.values()]
  const sortable = asked.filter(({ aggregation }) => aggregation !== 'histogram')
  if ((ordersHigh || !time) && sortable.length === 0) asked.unshift({ measure: 'count', aggregation: 'count' })
  if (!time && asked[0]!.aggregation === 'histogram') asked.reverse()
  if (!time && asked[0]!.aggregation === 'histogram') asked.unshift({ measure: 'count', aggregation: 'count' })
  const first = asked.find(({ aggregation }) => aggregation !== 'histogram')
  const orderBy =
    ordersHigh || random.chance(0.3)
      ? [
          ...(ordersHigh || first
            ? [
                {
                  field: `${first!.aggregation}_${first!.measure}`,
                  direction: ordersHigh ? ('desc' as const) : random.pick(['asc', 'desc'] as const),
                },
              ]
            : []),
          ...[...chosen].filter(field => field !== 'tags').map(field => ({ field, direction: random.pick(['asc', 'desc'] as const) })),
        ]
      : null
  const from = random.chance(0.5) ? base : base + random.below(48 * 3600_000)
  const to = random.pick([base + 73 * 3600_000, from + 3600_000 * (1 + random.below(24)), from + 90 * 60_000])
  const span = to - from
  const granularity = random.pick(['auto', 'hour', 'day', 'week', 'month', ...(span < 8 * 3600_000 ? ['minute'] : [])])
  return {
    view,
    dimensions: [...chosen].map(field => ({ field })),
    metrics: asked,
    filters: Array.from({ length: random.below(3) }, () => randomFilter(random, view, facts[view])),
    timeDimension: time ? { granularity } : null,
    fromTimestamp: withOffset(random, from),
    toTimestamp: withOffset(random, to),
    orderBy: orderBy?.length ? orderBy : null,
    ...(random.chance(0.5) ? { timeZone: random.pick(zones) } : {}),
    config: ordersHigh || random.chance(0.7) ? { row_limit: random.pick([1000, 1000, 7]), bins: 5 } : {},
  }
}
