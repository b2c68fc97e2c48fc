// Creates random spans and scores for one project, and the data that the API must return for them.

export const pricedName = 'priced-by-oracle'

export interface Random {
  below(n: number): number
  pick<T>(of: readonly T[]): T
  chance(p: number): boolean
}

/** Creates a random number generator with the algorithm Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (n: number) => Math.floor(next() * n)
  return { below, pick: of => of[below(of.length)]!, chance: p => next() < p }
}

type Leaf = string | number | boolean | null | readonly unknown[]

export interface Span {
  readonly projectId: string
  readonly traceId: string
  readonly id: string
  readonly parent: string
  readonly appRoot: boolean
  /** Microseconds since 1970. */
  readonly start: number
  readonly end: number
  readonly completion: number | undefined
  readonly name: string
  readonly type: string
  readonly level: string
  readonly statusMessage: string
  readonly version: string
  readonly release: string
  readonly environment: string
  readonly userId: string
  readonly sessionId: string
  readonly traceName: string
  readonly tags: readonly string[]
  readonly public: boolean
  readonly input: string
  readonly output: string
  readonly model: string
  readonly modelParameters: Readonly<Record<string, unknown>>
  readonly usage: Readonly<Record<string, number>>
  /** Costs that the client sends with the span. If the client sends no costs, the server computes them from the model's prices. */
  readonly cost: Readonly<Record<string, number>>
  readonly promptName: string
  readonly promptVersion: number | undefined
  readonly metadata: Readonly<Record<string, unknown>>
  readonly experiment: Readonly<Record<string, string>>
  readonly experimentMetadata: Readonly<Record<string, unknown>>
  readonly itemMetadata: Readonly<Record<string, unknown>>
}

export interface Score {
  readonly id: string
  readonly name: string
  readonly dataType: 'NUMERIC' | 'BOOLEAN' | 'CATEGORICAL' | 'TEXT' | 'CORRECTION'
  readonly value: number | string
  readonly traceId?: string
  readonly observationId?: string
  readonly sessionId?: string
  readonly datasetRunId?: string
  readonly environment: string
  readonly comment?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly timestamp: string
}

const names = ['answer', 'retrieve docs', 'plan', '100%_sure', 'Größe', 'a"b\\c', "it's", '']
const users = ['ada', 'bob', 'Ada', 'ü-user', '']
const sessions = ['s-1', 's-2', '']
const types = ['span', 'generation', 'event', 'agent', 'tool', 'chain', 'retriever', 'evaluator', 'embedding', 'guardrail']
const levels = ['DEBUG', 'DEFAULT', 'WARNING', 'ERROR']
export const environments = ['default', 'prod', 'staging-2']
const texts = ['The quick brown fox', 'quick-brown fox_trot', 'Ümlaut fox 42', '{"city":"Köln","n":42}', 'foxtrot 100%', '["a","b"]', '']
const tagSets = [[], ['red'], ['red', 'blue'], ['blue', 'red'], ['g,h', 'ü']]
const models = ['', pricedName, 'unknown-m', 'Unknown-M']
export const experiments = ['exp-a', 'exp-b', 'exp-c']
export const base = Date.UTC(2026, 5, 29)

export function withOffset(random: Random, ms: number): string {
  const [offset, minutes] = random.pick([
    ['Z', 0],
    ['+05:45', 345],
    ['-03:30', -210],
    ['+13:00', 780],
  ] as const)
  return `${new Date(ms + minutes * 60_000).toISOString().slice(0, -1)}${offset}`
}

const hex = (random: Random, digits: number) => Array.from({ length: digits }, () => (1 + random.below(15)).toString(16)).join('')

export interface Ids {
  readonly traceId: string
  readonly spans: readonly string[]
}

export const randomIds = (random: Random, traces: number): Ids[] =>
  Array.from({ length: traces }, () => ({
    traceId: hex(random, 32),
    spans: Array.from({ length: 1 + random.below(6) }, () => hex(random, 16)),
  }))

const metadataValues: readonly Leaf[] = [
  '5',
  5,
  0,
  -2.5,
  true,
  false,
  'true',
  'text fox',
  '',
  null,
  [1, 'a'],
  [],
  'x'.repeat(250),
  'Fox',
  ['y'.repeat(220)],
]

function randomMetadata(random: Random): Record<string, unknown> {
  const metadata: Record<string, unknown> = {}
  for (const key of ['k', 'seats', 'with space', 'ümlaut']) if (random.chance(0.4)) metadata[key] = random.pick(metadataValues)
  if (random.chance(0.4)) metadata['x.y'] = random.pick(metadataValues)
  if (random.chance(0.4)) metadata['a'] = { b: random.pick(metadataValues), c: { d: random.pick(metadataValues) } }
  return metadata
}

export function randomSpans(random: Random, projectId: string, { traceId, spans: ids }: Ids): Span[] {
  const orphaned = random.chance(0.1)
  const experiment = random.chance(0.25) ? random.pick(experiments) : undefined
  const of = experiment === undefined ? {} : randomExperiment(random, experiment, ids[0]!)
  const start = base + random.below(72 * 60) * 60_000 + random.below(60_000)
  const spans: Span[] = []
  for (const [n, id] of ids.entries()) {
    const from = random.chance(0.2) && n > 0 ? spans[n - 1]!.start : (start + random.below(5_000)) * 1000 + random.below(1000)
    const took = random.pick([0, 400, 1_000, 999_600, random.below(3_000_000), random.below(60_000_000), -2_000])
    const type = random.pick(types)
    const usage = random.pick([
      {},
      { input: random.below(500), output: random.below(200) },
      { input: 7, input_cached_tokens: 3, output: 5, total: 20 },
      { other: 4 },
    ])
    const cost = random.chance(0.4)
      ? random.pick([{ input: 0.0105, output: 0.25 }, { total: 0.1 }, { input: 1e-9 }, { input_x: 0.1, OUTPUT: 0.2, total: 0.7 }])
      : {}
    spans.push({
      projectId,
      traceId,
      id,
      parent: n === 0 ? (orphaned ? 'eeeeeeeeeeeeeeee' : '') : ids[random.below(n)]!,
      appRoot: n > 0 && random.chance(0.1),
      start: from,
      end: from + took,
      completion: random.chance(0.3) ? from + Math.trunc(took / 2) : undefined,
      name: random.pick(names),
      type: type.toUpperCase(),
      level: random.pick(levels),
      statusMessage: random.pick(['', 'failed: 50%', 'ok']),
      version: random.pick(['', '1', '2.0']),
      release: random.pick(['', 'r1']),
      environment: random.pick(environments),
      userId: random.pick(users),
      sessionId: random.pick(sessions),
      traceName: random.pick(['', 'trace of all', 'plan']),
      tags: random.pick(tagSets),
      public: random.chance(0.2),
      input: random.pick(texts),
      output: random.pick(texts),
      model: random.pick(models),
      modelParameters: random.pick([{}, { temperature: 0.5, stop: ['x'] }, { service: 'fast' }, { service: 'FAST' }]),
      usage: Object.keys(usage).length === 0 ? {} : usage,
      cost,
      promptName: type === 'generation' ? random.pick(['', 'greet']) : '',
      promptVersion: type === 'generation' ? random.pick([undefined, 1, 3, 12]) : undefined,
      metadata: randomMetadata(random),
      experiment: of,
      experimentMetadata: experiment === undefined || random.chance(0.5) ? {} : { seats: 3, note: experiment, deep: { on: true } },
      itemMetadata: experiment === undefined || random.chance(0.5) ? {} : { level: 1, tag: 'x' },
    })
  }
  return spans
}

const randomExperiment = (random: Random, id: string, rootId: string): Record<string, string> => ({
  id,
  name: random.chance(0.9) ? `name of ${id}` : `new name of ${id}`,
  description: random.pick(['', 'compares']),
  'dataset.id': random.pick(['', 'ds-1', 'ds-2']),
  'item.id': `item-${random.below(5)}`,
  'item.version': random.pick(['', '2026-03-04T05:06:07.089Z']),
  'item.root_observation_id': rootId,
  'item.expected_output': random.pick(['', 'forty-two']),
})

export function randomScores(random: Random, ids: readonly Ids[], count: number): Score[] {
  return Array.from({ length: count }, (_, n): Score => {
    const { traceId, spans } = random.pick(ids)
    const dataType = random.pick(['NUMERIC', 'BOOLEAN', 'CATEGORICAL', 'TEXT', 'CORRECTION'] as const)
    const subject = dataType === 'CORRECTION' ? random.below(2) : random.below(5)
    const value = {
      NUMERIC: random.pick([0, 0.25, 0.5, 2, -1.5]),
      BOOLEAN: random.below(2),
      CATEGORICAL: random.pick(['good', 'bad', 'a,b']),
      TEXT: random.pick(['good', 'fine text']),
      CORRECTION: 'better output',
    }[dataType]
    return {
      id: `score-${n - (random.chance(0.05) ? 1 : 0)}`,
      name: dataType === 'CORRECTION' ? 'output' : random.pick(['quality', 'tone', '']) || 'right',
      dataType,
      value,
      ...(subject <= 1 || subject === 4 ? { traceId } : {}),
      ...(subject === 1 || subject === 4 ? { observationId: random.pick(spans) } : {}),
      ...(subject === 2 ? { sessionId: random.pick(['s-1', 's-2']) } : {}),
      ...(subject === 3 ? { datasetRunId: random.pick(experiments) } : {}),
      environment: random.pick(environments),
      ...(random.chance(0.4) ? { comment: 'because' } : {}),
      ...(random.chance(0.4) ? { metadata: { a: 'text', n: 5, o: { p: true }, l: [1] } } : {}),
      timestamp: new Date(base + random.below(72 * 3600) * 1000 + random.below(3)).toISOString(),
    }
  })
}

const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } })

function onTheWire(span: Span) {
  const text: Record<string, string> = {
    'svc.observation.type': span.type.toLowerCase(),
    'svc.observation.level': span.level,
    'svc.observation.status_message': span.statusMessage,
    'svc.version': span.version,
    'svc.release': span.release,
    'svc.environment': span.environment,
    'svc.user.id': span.userId,
    'svc.session.id': span.sessionId,
    'svc.trace.name': span.traceName,
    'svc.observation.input': span.input,
    'svc.observation.output': span.output,
    'svc.observation.model.name': span.model,
    'svc.observation.prompt.name': span.promptName,
  }
  const json: Record<string, unknown> = {
    'svc.trace.tags': span.tags,
    'svc.observation.model.parameters': span.modelParameters,
    'svc.observation.usage_details': span.usage,
    'svc.observation.cost_details': span.cost,
    'svc.observation.metadata': span.metadata,
    'svc.experiment.metadata': span.experimentMetadata,
    'svc.experiment.item.metadata': span.itemMetadata,
  }
  const attributes = [
    ...Object.entries(text)
      .filter(([, value]) => value !== '')
      .map(([key, value]) => attribute(key, value)),
    ...Object.entries(json)
      .filter(([, value]) => Object.keys(value as object).length > 0)
      .map(([key, value]) => attribute(key, JSON.stringify(value))),
    ...Object.entries(span.experiment)
      .filter(([, value]) => value !== '')
      .map(([key, value]) => attribute(`svc.experiment.${key}`, value)),
    ...(span.promptVersion === undefined
      ? []
      : [{ key: 'svc.observation.prompt.version', value: { intValue: String(span.promptVersion) } }]),
    ...(span.completion === undefined ? [] : [attribute('svc.observation.completion_start_time', microIso(span.completion))]),
    ...(span.public ? [{ key: 'svc.trace.public', value: { boolValue: true } }] : []),
    ...(span.appRoot ? [{ key: 'svc.internal.is_app_root', value: { boolValue: true } }] : []),
  ]
  return {
    traceId: span.traceId,
    spanId: span.id,
    ...(span.parent === '' ? {} : { parentSpanId: span.parent }),
    name: span.name,
    startTimeUnixNano: `${span.start}000`,
    endTimeUnixNano: `${span.end}000`,
    attributes,
  }
}

const microIso = (micros: number) =>
  `${new Date(Math.floor(micros / 1000)).toISOString().slice(0, -1)}${String(((micros % 1000) + 1000) % 1000).padStart(3, '0')}Z`

export const exportOf = (spans: readonly Span[]) => ({
  resourceSpans: [
    {
      resource: { attributes: [attribute('service.name', 'shop')] },
      scopeSpans: [{ scope: { name: 'svc-sdk', version: '6.0.0' }, spans: spans.map(onTheWire) }],
    },
  ],
})

export type Cell = string | number | boolean | null | readonly string[]

export interface Fact {
  readonly time: number
  readonly of: Readonly<Record<string, Cell>>
  readonly measures: Readonly<Record<string, Cell>>
  readonly metadata: Readonly<Record<string, unknown>>
  readonly usage: Readonly<Record<string, number>>
  readonly cost: Readonly<Record<string, number>>
}
