// Simulates v3's tables in memory and computes their expected contents.
import { entityOfRecord } from '@svc-server/entities/codec'
import { stateOfEvent } from '@svc-server/entities/event'
import { publishedAs, startMsOf, wrapperText } from '@svc-server/entities/merged'
import { mergedOfRow, type OlderRow } from '@svc-server/entities/older-row'
import { createObservationRows } from '@svc-server/entities/rows/observation'
import { traceRows, virtualRootRows } from '@svc-server/entities/rows/trace'
import { createSpanParts } from '@svc-server/entities/spans'
import { type EntityState, joinStates, nothingSaid, saidValue } from '@svc-server/entities/state'
import type { LogRecord } from '@svc-server/log'
import { CatalogLookup } from '@svc-server/observations/catalog-lookup'
import { createEnvironmentNames } from '@svc-server/observations/environment-name'
import { decodeEntity, isEntity } from '@svc-server/schema/entity'
import { decodeIngestionEvent, entityKey } from '@svc-server/schema/ingestion-event'
import { decodeSpanBatch } from '@svc-server/schema/span-batch'

interface Row {
  readonly event_ts: number
  readonly is_deleted: number
}

/**
 * Simulates a ReplacingMergeTree. The table keeps the newest version of each key. If several rows have the newest version, it keeps the
 * row that was inserted last.
 */
class Table {
  readonly rows = new Map<string, Row>()

  insert(key: string, row: Row): void {
    const known = this.rows.get(key)
    if (known === undefined || row.event_ts >= known.event_ts) this.rows.set(key, row)
  }

  /** Returns the rows that are not deleted. Clears the fields that depend on the time of the merge. */
  live(): object {
    const rows = [...this.rows].filter(([, { is_deleted }]) => is_deleted === 0)
    const shown = rows.map(([key, row]) => [key, { ...row, event_ts: 0, updated_at: 0 }] as const)
    return Object.fromEntries(shown.sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}

export const isStagedEntity = ({ key, value }: LogRecord): boolean => key !== null && value !== null && isEntity(value)

const observationRows = createObservationRows(new CatalogLookup())
const day = (ms: number) => Math.floor(ms / 86_400_000)

class Tables {
  readonly old = new Table()
  readonly events = new Table()

  addOld(entity: ReturnType<typeof entityOfRecord>): void {
    for (const row of entity.entityType === 'trace' ? traceRows(entity) : []) {
      this.old.insert(`trace ${row.project_id} ${day(row.timestamp)} ${row.id}`, row)
    }
    for (const row of entity.entityType === 'observation' ? observationRows.old(entity) : []) {
      this.old.insert(`observation ${row.project_id} ${row.type} ${day(row.start_time)} ${row.id}`, row)
    }
  }

  addEvents(entity: ReturnType<typeof entityOfRecord>): void {
    const rows = entity.entityType === 'trace' ? virtualRootRows(entity) : observationRows.events(entity)
    for (const row of rows) this.events.insert(`${row.project_id} ${row.start_time} ${row.trace_id} ${row.span_id}`, row)
  }
}

/**
 * Fills the tables from the published records. The order of partitions does not matter, because all rows of a key come from one partition.
 */
export function publishedTables(entities: readonly LogRecord[], staged: readonly LogRecord[]): Tables {
  const tables = new Tables()
  for (const { value } of entities) tables.addOld(entityOfRecord(decodeEntity(value!)))
  for (const { value } of staged) tables.addEvents(entityOfRecord(decodeEntity(value!)))
  return tables
}

const environments = createEnvironmentNames({ prefixes: ['svc'] })
const parts = createSpanParts()

/** Computes the contents of the tables after a single merge of all records. If `dual` is true, these include the events tables. */
export function expectedTables(log: readonly LogRecord[], older: ReadonlyMap<string, OlderRow>, dual: boolean): Tables {
  const states = new Map<string, EntityState>()
  const identities = new Map<
    string,
    { readonly projectId: string; readonly entityType: 'trace' | 'observation'; readonly entityId: string }
  >()
  const add = (projectId: string, entityType: 'trace' | 'observation', entityId: string, state: EntityState) => {
    const identity = { projectId, entityType, entityId }
    const key = entityKey(identity)
    const row = older.get(key)
    const known = states.get(key) ?? (row === undefined ? nothingSaid : mergedOfRow(identity, row).state)
    identities.set(key, identity)
    states.set(key, joinStates(known, state))
  }
  for (const { topic, partition, offset, value } of log) {
    if (topic === 'ingestion') {
      const event = decodeIngestionEvent(value!)
      add(event.projectId, event.entityType, event.entityId, stateOfEvent(event, environments))
    } else {
      const { traces } = parts.read(value!, `${topic}/${partition}/${offset}`)
      for (const [traceId, state] of traces) add(decodeSpanBatch(value!).projectId, 'trace', traceId, state)
    }
  }
  for (const [key, state] of [...states]) {
    const { projectId, entityType, entityId } = identities.get(key)!
    if (entityType === 'trace') continue
    if (saidValue(state, 'traceId') !== null) continue
    const lent = {
      startMs: startMsOf({ entityType }, state),
      name: saidValue(state, 'name'),
      environment: saidValue(state, 'environment'),
      createdMs: state.createdMs,
    }
    const by = { atUs: 0, update: false, id: '', hash: '' }
    add(projectId, 'trace', entityId, { ...nothingSaid, fields: new Map([['wrapper', { value: wrapperText(lent), by }]]) })
  }
  const tables = new Tables()
  for (const [key, state] of states) {
    const identity = identities.get(key)!
    const entity = { ...identity, ...publishedAs(identity, null, state, 1) }
    tables.addOld(entity)
    if (dual) tables.addEvents(entity)
  }
  return tables
}
