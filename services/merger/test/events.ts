// Makes random events of the legacy API and random spans. The number of entities and times is small. Many events therefore concern the same
// entity or have equal times.
import type { NewRecord } from '@svc-server/log'
import type { TopicName } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { encodeIngestionEvent, entityKey, type IngestionEvent } from '@svc-server/schema/ingestion-event'
import { decodeSpanBatch, encodeSpanBatch } from '@svc-server/schema/span-batch'
import type { Random } from '@svc-server/testkit'
import { hexOf, newRecord, startMs, startUs } from './spans.ts'

export interface Appended {
  readonly topic: TopicName
  readonly record: NewRecord
  readonly event?: IngestionEvent
}

const projects = ['project-a', 'project-b']
const iso = (ms: number) => new Date(ms).toISOString()
const day = 86_400_000

interface EventFields {
  readonly projectId: string
  readonly entityType: IngestionEvent['entityType']
  readonly entityId: string
  readonly eventType: string
  readonly eventId: string
  readonly atMs: number
  readonly body: object
  readonly writeMode?: WriteMode | null
}

export function ingestionRecord({ atMs, body, writeMode = null, ...fields }: EventFields): Appended {
  const event: IngestionEvent = {
    ...fields,
    apiKey: 'pk',
    sdkName: 'python',
    sdkVersion: '2.60.0',
    writeMode,
    receivedAtMs: atMs + 100,
    ingestId: fields.eventId,
    timestampUs: atMs * 1000,
    body: Buffer.from(JSON.stringify(body)),
  }
  return { topic: 'ingestion', record: { key: Buffer.from(entityKey(event)), value: encodeIngestionEvent(event) }, event }
}

export const traceIdOf = (number: number): string => hexOf(number, 32)

export function randomEvent(random: Random, number: number, traces: number, modes: readonly (WriteMode | null)[]): Appended {
  const chance = (share: number) => random.next() < share
  const some = (share: number, fields: object) => (chance(share) ? fields : {})
  const projectId = random.pick(projects)
  // The legacy API accepts any text as an id.
  const trace = chance(0.2) ? `session/${random.integer(1, traces)}/1` : traceIdOf(random.integer(1, traces))
  const atMs = startMs + random.integer(0, 5) * 1000
  const shared = {
    ...some(0.5, { name: random.pick(['one', 'two', null]) }),
    ...some(0.4, { metadata: random.pick([{ a: { x: 1 } }, { a: { y: [2] } }, { a: 'text', b: true }, 'plain']) }),
    ...some(0.4, { input: random.pick(['in', { q: 1 }, 0]), output: random.pick(['out', '', null]) }),
    ...some(0.3, { environment: random.pick(['production', 'default']) }),
  }
  const common = { projectId, eventId: `e${number}`, atMs, writeMode: random.pick(modes) }
  if (chance(0.35)) {
    const body = {
      ...shared,
      ...some(0.5, { timestamp: iso(startMs + random.integer(0, 2) * day) }),
      ...some(0.4, { tags: [random.pick(['a', 'b', 'ü'])], userId: random.pick(['alice', 'bob', null]), public: chance(0.5) }),
    }
    return ingestionRecord({ ...common, entityType: 'trace', entityId: trace, eventType: 'trace-create', body })
  }
  const body = {
    ...shared,
    ...some(0.6, { traceId: trace }),
    ...some(0.5, { startTime: iso(startMs + random.integer(0, 2) * day) }),
    ...some(0.3, { endTime: iso(startMs), parentObservationId: random.pick(['p', null]), usage: { input: random.integer(0, 9) } }),
  }
  const eventType = random.pick(['span-create', 'span-update', 'generation-create', 'generation-update'])
  return ingestionRecord({ ...common, entityType: 'observation', entityId: `o${random.integer(1, traces * 2)}`, eventType, body })
}

export function randomSpans(random: Random, number: number, traces: number, writeMode: WriteMode | null): Appended {
  const chance = (share: number) => random.next() < share
  const topic = random.pick(['spans.direct', 'spans.staging', 'spans.overflow'] as const)
  const spans = Array.from({ length: random.integer(1, 3) }, (_, index) => ({
    spanId: hexOf(number * 10 + index + 1, 16),
    root: chance(0.3),
    startUs: startUs + random.integer(0, 3) * 1_000_000,
    name: random.pick(['answer', 'plan']),
    says: {
      ...(chance(0.3) ? { 'user.id': random.pick(['carol', 'dave']) } : {}),
      ...(chance(0.2) ? { 'svc.trace.tags': [random.pick(['s', 't'])] } : {}),
      ...(chance(0.2) ? { 'svc.environment': 'production' } : {}),
      ...(chance(0.2) ? { 'svc.trace.metadata.k': 'v' } : {}),
    },
  }))
  const made = newRecord({ projectId: random.pick(projects), traceId: traceIdOf(random.integer(1, traces)), spans })
  const value = encodeSpanBatch({ ...decodeSpanBatch(made.value!), writeMode })
  return { topic, record: topic === 'spans.staging' ? { ...made, value } : { key: null, value } }
}
