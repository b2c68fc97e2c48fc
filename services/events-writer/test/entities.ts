// Makes two kinds of entities: entities in the form that the merger publishes, and entities in the form that the propagator publishes.
import { entityOfRecord, type MergedEntity, type PublishedEntity, recordOf } from '@svc-server/entities/codec'
import { stateOfEvent } from '@svc-server/entities/event'
import { publishedAs } from '@svc-server/entities/merged'
import { type EntityState, joinStates } from '@svc-server/entities/state'
import type { NewRecord } from '@svc-server/log'
import { topicNames } from '@svc-server/modes/names'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { createEnvironmentNames } from '@svc-server/observations/environment-name'
import { decodeEntity, type EntityRecord, encodeEntity } from '@svc-server/schema/entity'
import { entityKey } from '@svc-server/schema/ingestion-event'
import { now, projectId, type SpansOptions, type World } from './world.ts'

const environments = createEnvironmentNames({ prefixes: ['svc'] })
export const iso = (ms: number): string => new Date(ms).toISOString()

export type EntityType = EntityRecord['entityType']

export interface Told {
  readonly body: Readonly<Record<string, unknown>>
  /** The event type. Default: `trace-create` or `span-create`. */
  readonly type?: string
  /** The client's time, in milliseconds after `now`. */
  readonly at?: number
}

const identityOf = (entityType: EntityType, entityId: string) => ({ projectId, entityType, entityId })

function stateOf(
  entityType: EntityType,
  { body, type = entityType === 'trace' ? 'trace-create' : 'span-create', at = 0 }: Told,
): EntityState {
  return stateOfEvent(
    {
      apiKey: 'pk-test',
      sdkName: 'python',
      sdkVersion: '2.60.0',
      receivedAtMs: now + 500,
      entityType,
      eventType: type,
      eventId: `${type} ${at}`,
      timestampUs: (now + at) * 1000,
      body: Buffer.from(JSON.stringify(body)),
    },
    environments,
  )
}

/** Makes a published entity. `before` is the entity at its previous publication. */
export function entity(entityType: EntityType, entityId: string, told: Told, before: MergedEntity | null = null): PublishedEntity {
  const identity = identityOf(entityType, entityId)
  const state = stateOf(entityType, told)
  return { ...identity, ...publishedAs(identity, before, before === null ? state : joinStates(before.state, state), now + 1000) }
}

export type Fill = Partial<Pick<EntityRecord, 'traceAttributes' | 'rootSpanId'>> & { readonly generation?: number }

/** Makes a record of the topic `entities`. With `fill`, it makes a record of spans.filled. */
export function entityRecord(of: PublishedEntity, fill?: Fill, writeMode: WriteMode | null = 'dual'): Buffer {
  const record = recordOf(of, writeMode, of)
  if (fill === undefined) return encodeEntity(record)
  const { generation = 0, traceAttributes = null, rootSpanId = null } = fill
  const staged = { partition: 0, offset: 7, timestampMs: now, generation }
  return encodeEntity({ ...record, traceAttributes, rootSpanId, staged })
}

export const onLog = (of: PublishedEntity, fill?: Fill, writeMode: WriteMode | null = 'dual'): NewRecord => ({
  key: Buffer.from(entityKey(of)),
  value: entityRecord(of, fill, writeMode),
  partition: 0,
})

/** Decodes the bytes of an entity in the same way as the writer. */
export const reread = (value: Uint8Array): PublishedEntity => entityOfRecord(decodeEntity(value))

const day = 86_400_000

/** Makes an entity and moves its start time forward by a day. Its former key therefore has a tombstone. */
function moved(entityType: EntityType, id: string, name: string, startMs: number): PublishedEntity {
  const began = (ms: number) => (entityType === 'trace' ? { timestamp: iso(ms) } : { startTime: iso(ms), traceId: 'trace' })
  const before = entity(entityType, id, { body: { name, ...began(startMs - day) }, at: 5 })
  return entity(entityType, id, { body: { name, ...began(startMs) }, at: 1 }, before)
}

export interface EntityRecords {
  readonly records: readonly NewRecord[]
  readonly rows: Readonly<Record<EntityType, number>>
}

/** Makes entities with the same start times as spans that are made with these options. Every tenth entity moves once. */
export function entityRecords({ count, startMs = now, stepMs = 1 }: SpansOptions, fill?: Fill): EntityRecords {
  const batch = Math.random().toString(36).slice(2)
  const records: NewRecord[] = []
  for (let at = 0; at < count; at++) {
    const id = `${batch}-${at}`
    const begin = startMs + at * stepMs
    const first = { trace: { timestamp: iso(begin) }, observation: { startTime: iso(begin), traceId: batch } }
    for (const type of ['trace', 'observation'] as const) {
      const of =
        at % 10 === 0 ? moved(type, id, 'moved', begin) : entity(type, id, { body: { name: `${at}`, input: 'question', ...first[type] } })
      records.push(onLog(of, fill))
    }
  }
  const rows = count + Math.ceil(count / 10)
  return { records, rows: { trace: rows, observation: rows } }
}

export type RawRows = Readonly<Record<'events_full' | 'events_core' | 'traces' | 'observations', number>>

export async function sendOfEach({ log, send }: World, count: number, options: { readonly partition?: number } = {}): Promise<RawRows> {
  const few = Math.ceil(count / 10)
  const [merged, filled] = [entityRecords({ count: few }), entityRecords({ count: few }, {})]
  const spans = await send({ count, ...options })
  await log.append(topicNames.entities, merged.records)
  await log.append(topicNames.filled, filled.records)
  const events = spans + filled.rows.trace + filled.rows.observation
  return { events_full: events, events_core: events, traces: merged.rows.trace, observations: merged.rows.observation }
}

export async function rawRows({ columnStore }: World): Promise<RawRows> {
  const [row] = await columnStore.query<Record<keyof RawRows, string>>(
    `SELECT (SELECT count() FROM events_full) AS events_full, (SELECT count() FROM events_core) AS events_core,
       (SELECT count() FROM traces) AS traces, (SELECT count() FROM observations) AS observations`,
  )
  return Object.fromEntries(Object.entries(row!).map(([table, rows]) => [table, Number(rows)])) as RawRows
}
