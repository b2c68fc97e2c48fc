// Creates merged entities as the merger does, and stores their rows as the writer does.
import { randomUUID } from 'node:crypto'
import type { ColumnStore } from '@svc-server/column-store/port'
import { type EntityIdentity, entityOfRecord, type MergedEntity, type PublishedEntity, recordOf } from '@svc-server/entities/codec'
import { type LegacyEvent, stateOfEvent } from '@svc-server/entities/event'
import { publishedAs } from '@svc-server/entities/merged'
import { createObservationRows } from '@svc-server/entities/rows/observation'
import type { ObservationRow, TraceRow } from '@svc-server/entities/rows/tables'
import { traceRows, virtualRootRows } from '@svc-server/entities/rows/trace'
import { type EntityState, joinStates, nothingSaid } from '@svc-server/entities/state'
import type { NewRecord } from '@svc-server/log'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { CatalogLookup } from '@svc-server/observations/catalog-lookup'
import { createEnvironmentNames } from '@svc-server/observations/environment-name'
import { decodeEntity, type EntityRecord, encodeEntity } from '@svc-server/schema/entity'
import { entityKey } from '@svc-server/schema/ingestion-event'

const environments = createEnvironmentNames({ prefixes: ['svc'] })
const observationRows = createObservationRows(new CatalogLookup())
export const appendMs = Date.UTC(2026, 10, 21, 12)

export interface Said {
  readonly type: string
  readonly body: Readonly<Record<string, unknown>>
  readonly at?: number
}

function stateOf(identity: EntityIdentity, { type, body, at = 0 }: Said): EntityState {
  const event: LegacyEvent = {
    ...{ apiKey: 'pk', sdkName: 'python', sdkVersion: '2', receivedAtMs: appendMs, entityType: identity.entityType },
    ...{ eventType: type, eventId: `${type} ${at}`, timestampUs: (appendMs + at) * 1000, body: Buffer.from(JSON.stringify(body)) },
  }
  return stateOfEvent(event, environments)
}

/** Returns one published version for each element of `said`. */
export function versionsOf(identity: EntityIdentity, said: readonly (Said | EntityState)[], writeMode: WriteMode = 'dual') {
  let before: MergedEntity | null = null
  const records: EntityRecord[] = []
  for (const [at, each] of said.entries()) {
    const known: EntityState = before?.state ?? nothingSaid
    const state = joinStates(known, 'fields' in each ? each : stateOf(identity, each))
    before = publishedAs(identity, before, state, appendMs + at * 10)
    records.push(recordOf(identity, writeMode, before))
  }
  return records
}

export const newRecord = (entity: EntityRecord, partition = 0): NewRecord => ({
  key: Buffer.from(entityKey(entity)),
  value: encodeEntity(entity),
  partition,
})

const published = (record: EntityRecord): PublishedEntity => entityOfRecord(decodeEntity(encodeEntity(record)))

export function oldRows(record: EntityRecord): readonly (ObservationRow | TraceRow)[] {
  const entity = published(record)
  return entity.entityType === 'trace' ? traceRows(entity) : observationRows.old(entity)
}

export function eventRows(record: EntityRecord) {
  const entity = published(record)
  return entity.entityType === 'trace' ? virtualRootRows(entity) : observationRows.events(entity)
}

const decimal = (units: number, digits: number) =>
  `${Math.floor(units / 10 ** digits)}.${String(units % 10 ** digits).padStart(digits, '0')}`

/** Returns the given columns of a row as JSON text. */
const lineOf = (row: object, columns: readonly string[], times: readonly string[], digits: number) =>
  JSON.stringify(
    Object.fromEntries(
      columns.map(name => {
        const value = (row as Record<string, unknown>)[name]
        return [name, times.includes(name) ? decimal(value as number, digits) : value]
      }),
    ),
  )

async function insert(store: ColumnStore, table: string, columns: readonly string[], lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return
  await store.command(
    `INSERT INTO ${table} (${columns.join(', ')}) SETTINGS async_insert = 0, insert_deduplication_token = '${randomUUID()}'
     FORMAT JSONEachRow\n${lines.join('\n')}`,
  )
}

type Keep = (row: { readonly is_deleted: number; readonly type?: string }) => boolean
const all: Keep = () => true

/** Inserts each record separately, because an insert with several versions of a row stores only the newest version. */
export async function storeOld(store: ColumnStore, records: readonly EntityRecord[], keep = all): Promise<void> {
  for (const record of records) {
    const isTrace = record.entityType === 'trace'
    const start = isTrace ? 'timestamp' : 'start_time'
    const columns = ['project_id', 'id', start, 'event_ts', 'is_deleted', ...(isTrace ? [] : ['trace_id', 'type'])]
    const lines = oldRows(record)
      .filter(keep)
      .map(row => lineOf(row, columns, [start, 'event_ts'], 3))
    await insert(store, isTrace ? 'traces' : 'observations', columns, lines)
  }
}

/** Inserts into events_full only. A view copies the rows to events_core. */
export async function storeEvents(store: ColumnStore, records: readonly EntityRecord[], keep = all): Promise<void> {
  const columns = ['project_id', 'trace_id', 'span_id', 'start_time', 'event_ts', 'is_deleted']
  for (const record of records) {
    const lines = eventRows(record)
      .filter(keep)
      .map(row => lineOf(row, columns, ['start_time', 'event_ts'], 6))
    await insert(store, 'events_full', columns, lines)
  }
}
