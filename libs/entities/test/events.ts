import { createEnvironmentNames } from '@svc-server/observations/environment-name'
import { decodeEntity, encodeEntity } from '@svc-server/schema/entity'
import fc from 'fast-check'
import { entityOfRecord, type MergedEntity, type PublishedEntity, recordOf } from '../src/codec.ts'
import { type LegacyEvent, stateOfEvent } from '../src/event.ts'
import { publishedAs } from '../src/merged.ts'
import { type EntityState, joinStates, nothingSaid } from '../src/state.ts'

export const startMs = Date.UTC(2026, 10, 21, 12)
export const environments = createEnvironmentNames({ prefixes: ['svc'] })
export const iso = (ms: number): string => new Date(ms).toISOString()

export interface Sent {
  readonly type: string
  readonly body: Readonly<Record<string, unknown>>
  readonly at?: number
  readonly id?: string
}

const eventOf = ({ type, body, at = 0, id = `${type} ${at}` }: Sent): LegacyEvent => ({
  apiKey: 'pk-1',
  sdkName: 'python',
  sdkVersion: '2.60.0',
  receivedAtMs: startMs + 500,
  entityType: type.startsWith('trace') ? 'trace' : 'observation',
  eventType: type,
  eventId: id,
  timestampUs: (startMs + at) * 1000,
  body: Buffer.from(JSON.stringify(body)),
})

export const stateOf = (sent: Sent): EntityState => stateOfEvent(eventOf(sent), environments)

export const merged = (...sent: readonly Sent[]): EntityState => sent.map(stateOf).reduce(joinStates, nothingSaid)

export function reloaded(state: EntityState): EntityState {
  const record = recordOf(identityOf('trace'), null, { state, versionMs: 1, retired: [] })
  return entityOfRecord(decodeEntity(encodeEntity(record))).state
}

const identityOf = (entityType: 'trace' | 'observation') => ({ projectId: 'project-1', entityType, entityId: `${entityType}-1` })

export function entityOf(entityType: 'trace' | 'observation', state: EntityState, before: MergedEntity | null = null): PublishedEntity {
  const identity = identityOf(entityType)
  return { ...identity, ...publishedAs(identity, before, state, startMs + 1000) }
}

const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'metadata', 'ü')
const leaf = fc.oneof(fc.constantFrom(null, true, 0, 1.5, '', 'x', '{"b":1}', '[]'), fc.string({ unit: 'binary', maxLength: 4 }))
const json: fc.Arbitrary<unknown> = fc.letrec(tie => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, fc.array(leaf, { maxLength: 2 }), tie('object')),
  object: fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map(entries => Object.fromEntries(entries)),
})).value

const text = fc.constantFrom(null, '', 'one', 'two', 'Zoë')
const time = fc.integer({ min: 0, max: 4 }).map(hours => iso(startMs + hours * 11 * 3_600_000))
const shared = {
  name: text,
  version: text,
  environment: fc.constantFrom('default', 'production', 'svc-x'),
  metadata: json,
  input: json,
  output: json,
}
const traceBody = fc.record(
  {
    ...shared,
    timestamp: time,
    userId: text,
    sessionId: text,
    release: text,
    public: fc.constantFrom(null, true, false),
    tags: fc.array(name, { maxLength: 3 }),
  },
  { requiredKeys: [] },
)
const observationBody = fc
  .record(
    {
      ...shared,
      // Only observation events use this member of the body.
      type: fc.constantFrom('GENERATION', 'SPAN', 'EVENT'),
      traceId: fc.constantFrom(null, 'trace-1', 'trace-2'),
      startTime: time,
      endTime: fc.option(time),
      completionStartTime: fc.option(time),
      level: fc.constantFrom('ERROR', 'DEFAULT', null),
      statusMessage: text,
      parentObservationId: text,
      model: fc.constantFrom(null, 'gpt-4o', 'm'),
      modelParameters: fc.constantFrom(null, {}, { temperature: 0.5 }, { max: 1, stop: ['a'] }),
      usage: fc.constantFrom(null, { input: 1, output: 2 }, { promptTokens: 3 }, { input: 1, totalCost: 0.25 }, {}),
      usageDetails: fc.constantFrom({}, { input: 7 }, { prompt_tokens: 5, completion_tokens: 6, total_tokens: 11 }),
      costDetails: fc.constantFrom({}, { total: 0.1 }, { input: -1 }),
      prompt: fc.constantFrom(undefined, null, ['p', 1], ['q', 2]),
    },
    { requiredKeys: [] },
  )
  .map(({ prompt, ...body }) =>
    prompt === undefined ? body : { ...body, promptName: prompt?.[0] ?? null, promptVersion: prompt?.[1] ?? null },
  )

const created = ['event', 'span', 'generation', 'agent', 'tool', 'chain', 'retriever', 'evaluator', 'embedding', 'guardrail', 'observation']
const updated = ['span', 'generation', 'observation']
const kinds = [...created.map(kind => `${kind}-create`), ...updated.map(kind => `${kind}-update`)]
/** There are only a few different times and ids, so two events often have the same time or the same id. */
const place = { at: fc.integer({ min: 0, max: 2 }), id: fc.constantFrom('e1', 'e2') }

export function anyEvents(entityType: 'trace' | 'observation'): fc.Arbitrary<Sent[]> {
  const trace: fc.Arbitrary<Sent> = fc.record({ type: fc.constant('trace-create'), body: traceBody, ...place })
  const observation: fc.Arbitrary<Sent> = fc.record({ type: fc.constantFrom(...kinds), body: observationBody, ...place })
  return fc.array(entityType === 'trace' ? trace : observation, { minLength: 1, maxLength: 6 })
}
