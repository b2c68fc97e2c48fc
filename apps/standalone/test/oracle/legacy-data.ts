// Creates random traces, observations and scores for one project, and the events of the legacy API that contain them.
import { type Catalog, randomPrompt } from './catalog.ts'
import { base, environments, type Ids, pricedName, type Random, type Score, withOffset } from './data.ts'

type Metadata = Readonly<Record<string, unknown>>
type Amounts = Readonly<Record<string, number>>

interface Entity {
  readonly id: string
  readonly name: string
  readonly environment: string
  readonly version: string
  readonly input: unknown
  readonly output: unknown
  readonly metadata: Metadata
}
export interface Trace extends Entity {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly userId: string
  readonly sessionId: string
  readonly release: string
  readonly public: boolean
  readonly tags: readonly string[]
}
export interface Observation extends Entity {
  readonly traceId: string
  readonly parent: string
  readonly type: string
  readonly start: number
  readonly end: number | undefined
  readonly completion: number | undefined
  readonly level: string
  readonly statusMessage: string
  readonly model: string
  readonly modelParameters: Readonly<Record<string, unknown>>
  readonly usage: Amounts
  readonly cost: Amounts
  readonly prompt: { readonly name: string; readonly version: number } | undefined
}
export interface LegacyProject {
  readonly id: string
  readonly catalog: Catalog
  readonly traces: readonly Trace[]
  readonly observations: readonly Observation[]
  readonly scores: readonly Score[]
}

const contents = ['The quick brown fox', { city: 'Köln', n: 42 }, ['a', 'b'], '{"city":"Köln","n":42}', '42', 'foxtrot 100%', undefined]
const names = ['answer', 'retrieve docs', '100%_sure', 'Größe', 'a"b\\c', "it's", '']
const metadataValues = ['text fox', 'fast', 5, 0, -2.5, true, false, [1, 'a'], { b: { c: 'fox' } }, 'x'.repeat(250), 'Fox']

function randomMetadata(random: Random): Metadata {
  const metadata: Record<string, unknown> = {}
  for (const key of ['k', 'seats', 'with space', 'ümlaut', 'x.y']) if (random.chance(0.4)) metadata[key] = random.pick(metadataValues)
  return metadata
}

const randomEntity = (random: Random, id: string): Entity => ({
  id,
  name: random.pick(names),
  environment: random.pick(environments),
  version: random.pick(['', '1', '2.0']),
  input: random.pick(contents),
  output: random.pick(contents),
  metadata: randomMetadata(random),
})

export function randomTrace(random: Random, { traceId }: Ids): Trace {
  return {
    ...randomEntity(random, traceId),
    at: base + random.below(72 * 3600_000),
    userId: random.pick(['ada', 'bob', 'Ada', 'ü-user', '']),
    sessionId: random.pick(['s-1', 's-2', 's-3', '']),
    release: random.pick(['', 'r1']),
    public: random.chance(0.2),
    tags: random.pick([[], ['red'], ['blue', 'red'], ['g,h', 'ü']]),
  }
}

export function randomObservations(random: Random, trace: Trace, { spans }: Ids): Observation[] {
  if (random.chance(0.1)) return []
  return spans.map((id, n) => {
    const type = random.pick(['SPAN', 'GENERATION', 'EVENT', 'AGENT', 'TOOL'])
    const start = trace.at + random.below(5_000)
    const end = type === 'EVENT' || random.chance(0.2) ? undefined : start + random.pick([0, 400, 1_000, random.below(60_000)])
    const isGeneration = type === 'GENERATION'
    return {
      ...randomEntity(random, id),
      traceId: trace.id,
      parent: n === 0 ? '' : spans[random.below(n)]!,
      type,
      start,
      end,
      completion: isGeneration && random.chance(0.5) ? start + random.below(900) : undefined,
      level: random.pick(['DEBUG', 'DEFAULT', 'DEFAULT', 'WARNING', 'ERROR']),
      statusMessage: random.pick(['', 'failed: 50%', 'ok']),
      model: isGeneration ? random.pick(['', pricedName, pricedName, 'unknown-m', 'Unknown-M']) : '',
      modelParameters: isGeneration ? random.pick([{}, { temperature: 0.5, stop: 'x' }, { service: 'fast' }, { service: 'FAST' }]) : {},
      usage: isGeneration
        ? random.pick([
            {},
            { input: random.below(500), output: random.below(200) },
            { input: 7, input_cached: 3, output: 5, total: 20 },
            { other: 4 },
          ])
        : {},
      cost: isGeneration
        ? random.pick([{}, { input: 0.0105, output: 0.25 }, { total: 0.1 }, { input_x: 0.1, OUTPUT: 0.2, total: 0.7 }])
        : {},
      prompt: isGeneration && random.chance(0.5) ? randomPrompt(random) : undefined,
    }
  })
}

function withoutEmpty(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isEmpty = (value: unknown) =>
    value === undefined || value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  return Object.fromEntries(Object.entries(body).filter(([, value]) => !isEmpty(value)))
}

interface Event {
  readonly type: string
  readonly body: Readonly<Record<string, unknown>>
  readonly nth: number
}

export function eventsOfTrace(random: Random, { at, ...trace }: Trace): Event[] {
  return [{ type: 'trace-create', nth: 0, body: withoutEmpty({ ...trace, timestamp: withOffset(random, at) }) }]
}

export function eventsOfObservation(random: Random, observation: Observation): Event[] {
  const { parent, start, end, completion, usage, cost, type, prompt, ...own } = observation
  const timeOf = (ms: number | undefined) => (ms === undefined ? undefined : withOffset(random, ms))
  const times = { startTime: timeOf(start), endTime: timeOf(end), completionStartTime: timeOf(completion) }
  const ofPrompt = { promptName: prompt?.name, promptVersion: prompt?.version }
  const body = withoutEmpty({ ...own, ...times, parentObservationId: parent, usageDetails: usage, costDetails: cost, ...ofPrompt })
  const kind = type.toLowerCase()
  if ((type !== 'SPAN' && type !== 'GENERATION') || !random.chance(0.2)) return [{ type: `${kind}-create`, nth: 0, body }]
  const { id, traceId, startTime, environment, parentObservationId, ...updated } = body
  const first = withoutEmpty({ id, traceId, startTime, environment, parentObservationId, level: 'DEBUG', name: own.name && 'before' })
  return [
    { type: `${kind}-create`, nth: 0, body: first },
    { type: `${kind}-update`, nth: 1, body: { id, traceId, ...updated } },
  ]
}

export const batchOf = (events: readonly Event[]) => ({
  batch: events.map(({ type, body, nth }) => ({
    id: `${String(body['id'])}-${nth}`,
    timestamp: new Date(base + nth * 1_000).toISOString(),
    type,
    body,
  })),
})
