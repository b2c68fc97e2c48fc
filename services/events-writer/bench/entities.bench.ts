// Measures the cost of encoding an entity, for each type of entity. The bench compares this cost with the units of work that the writer
// assigns to the entity. A unit takes at most about 1 µs of CPU time (ADR 0016). The bench also measures how much CPU time the log's
// thread needs to read an entity's header. Run `npm run bench -- entities -- [--rounds N]`.
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { buffersOf, createBufferPool } from '@svc-server/column-store/native'
import { type PublishedEntity, recordOf } from '@svc-server/entities/codec'
import { stateOfEvent } from '@svc-server/entities/event'
import { publishedAs } from '@svc-server/entities/merged'
import { joinStates, nothingSaid } from '@svc-server/entities/state'
import { topicNames } from '@svc-server/modes/names'
import { createEnvironmentNames } from '@svc-server/observations/environment-name'
import { shippedModels } from '@svc-server/pricing/shipped-models'
import { catalogSnapshot } from '@svc-server/pricing/snapshot'
import { type EntityRecord, encodeEntity } from '@svc-server/schema/entity'
import { events } from '../src/destinations/events.ts'
import { observations } from '../src/destinations/observations.ts'
import type { RowEncoder, SourceRecord } from '../src/destinations/row-encoder.ts'
import { traces } from '../src/destinations/traces.ts'
import { openRecord } from '../src/records.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' }, help: { type: 'boolean', default: false } } })
if (values.help) {
  process.stdout.write('--rounds N (7)\n')
  process.exit(0)
}
const rounds = Number(values.rounds)
const now = Date.parse('2026-11-21T12:00:00Z')
const day = 86_400_000
const environments = createEnvironmentNames({ prefixes: ['svc'] })
type Body = Readonly<Record<string, unknown>>

function entityOf(entityType: EntityRecord['entityType'], bodies: readonly Body[], id = 'entity-1'): PublishedEntity {
  const identity = { projectId: 'project-1', entityType, entityId: id }
  let state = nothingSaid
  for (const [at, body] of bodies.entries()) {
    const event = {
      ...{
        apiKey: 'pk',
        sdkName: 'python',
        sdkVersion: '2.60.0',
        receivedAtMs: now,
        entityType,
        eventId: `event-${at}`,
        timestampUs: now * 1000 + at,
      },
      eventType: entityType === 'trace' ? 'trace-create' : 'generation-create',
      body: Buffer.from(JSON.stringify(body)),
    }
    state = joinStates(state, stateOfEvent(event, environments))
  }
  return { ...identity, ...publishedAs(identity, null, state, now) }
}

const numbered = (count: number, of: (at: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, of(at)]))
const words = (bytes: number) => 'some words of a text, '.repeat(Math.ceil(bytes / 22)).slice(0, bytes)
const usual: Body = {
  ...{
    traceId: 'trace-1',
    name: 'answer',
    startTime: new Date(now).toISOString(),
    endTime: new Date(now + 900).toISOString(),
    model: 'gpt-4o',
  },
  ...{ metadata: { user: 'alice', nested: { a: 1, b: [2] } }, usage: { input: 300, output: 20 }, modelParameters: { temperature: 0.5 } },
  ...{ input: [{ role: 'user', content: words(1_500) }], output: { role: 'assistant', content: words(500) } },
}
const retired = Array.from({ length: 64 }, (_, at) => ({ startMs: now - (at + 1) * day, type: 'GENERATION', traceId: 'trace-1' }))
const json = (value: unknown) => JSON.stringify(value)

const shapes: Readonly<Record<string, { readonly of: PublishedEntity; readonly times: number }>> = {
  usual: { of: entityOf('observation', [usual, { output: 'x' }]), times: 500 },
  'usual trace': {
    of: entityOf('trace', [{ name: 't', userId: 'u', tags: ['a', 'b'], input: words(1_000), metadata: { a: 1 } }]),
    times: 500,
  },
  'tokens counted': { of: entityOf('observation', [{ model: 'gpt-4o', input: words(200_000), output: words(200_000) }]), times: 2 },
  'tokens of one word': { of: entityOf('observation', [{ model: 'gpt-4o', input: 'ab'.repeat(100_000) }]), times: 2 },
  '64 tombstones': { of: { ...entityOf('observation', [usual]), retired }, times: 100 },
  'a text of 4 MB': { of: entityOf('observation', [{ input: words(4e6) }]), times: 2 },
  'JSON of small values, 4 MB': { of: entityOf('observation', [{ input: numbered(350_000, at => at) }]), times: 2 },
  'tools in small values': { of: entityOf('observation', [{ input: { ...numbered(300_000, at => at), tools: [] } }]), times: 1 },
  'calls in small values': {
    of: entityOf('observation', [{ output: Array.from({ length: 250_000 }, () => ({ tool_calls: 1 })) }]),
    times: 1,
  },
  'metadata of 200,000 names': { of: entityOf('trace', [{ metadata: numbered(200_000, at => at) }]), times: 1 },
  'metadata, 200,000 names in 200': { of: entityOf('trace', [{ metadata: numbered(200, () => numbered(1_000, at => at)) }]), times: 1 },
  'metadata of many events': {
    of: entityOf(
      'trace',
      Array.from({ length: 2_000 }, (_, at) => ({ metadata: { [`k${at}`]: at } })),
    ),
    times: 5,
  },
  'one text of JSON in metadata': { of: entityOf('trace', [{ metadata: { a: json(numbered(200_000, at => at)) } }]), times: 2 },
  'many tags': { of: entityOf('trace', [{ tags: Array.from({ length: 200_000 }, (_, at) => `t${at}`) }]), times: 1 },
  'usage of many names': {
    of: entityOf('observation', [{ model: 'gpt-4o', usageDetails: numbered(50_000, () => 1), costDetails: numbered(50_000, () => 1) }]),
    times: 1,
  },
}

const pool = createBufferPool(192 << 20)
const options = { maxRecordBytes: 256 << 20, maxRowBytes: 256 << 20, maxWork: 3e6, brandAliases: [], pool }
const encoders: readonly (readonly [string, string, RowEncoder])[] = [
  ['traces', topicNames.entities, await traces.createEncoder(options)],
  ['observations', topicNames.entities, await observations.createEncoder(options)],
  ['events_full', topicNames.filled, await events.createEncoder(options)],
]
const catalog = catalogSnapshot({ models: shippedModels(), prompts: [] })
for (const [, , encoder] of encoders) encoder.useCatalog?.(catalog)

const cpuUs = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** CPU time of the fastest round, in microseconds. */
function best(work: () => void, times: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const startedAt = cpuUs()
    work()
    least = Math.min(least, cpuUs() - startedAt)
  }
  return least / times
}

const figures: Record<string, unknown> = {}
process.stdout.write(
  `${'shape'.padEnd(32)} ${'bytes'.padStart(9)} ${'units'.padStart(9)} ${'head µs'.padStart(9)}  µs a record (µs a unit)\n`,
)
for (const [name, { of, times }] of Object.entries(shapes)) {
  const value = encodeEntity(recordOf(of, 'dual', of))
  const head = best(() => {
    for (let at = 0; at < times; at++) openRecord(topicNames.entities, value, now)
  }, times)
  const { work } = openRecord(topicNames.entities, value, now)
  const taken = encoders.map(([table, topic, encoder]) => {
    const records: SourceRecord[] = Array.from({ length: times }, (_, offset) => ({ topic, partition: 0, offset, timestampMs: now, value }))
    const us = best(() => buffersOf(encoder.encode(records).body).forEach(pool.give), times)
    return [table, us] as const
  })
  const shown = taken.map(([table, us]) => `${table} ${us.toFixed(0)} (${(us / work).toFixed(2)})`).join('  ')
  process.stdout.write(
    `${name.padEnd(32)} ${String(value.length).padStart(9)} ${String(work).padStart(9)} ${head.toFixed(0).padStart(9)}  ${shown}\n`,
  )
  figures[name] = {
    bytes: value.length,
    work,
    headUs: Math.round(head),
    ...Object.fromEntries(taken.map(([table, us]) => [table, Math.round(us)])),
  }
}
process.stdout.write(
  `${json({ bench: 'entities', node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, load: loadavg()[0], rounds, figures })}\n`,
)
