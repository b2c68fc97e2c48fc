// Checks whether a trace, observation or session exists, before a comment or another record refers to it.
import { e, eventsCore } from '../fields/events.ts'
import { type Fields, fieldsOf, numberField } from '../sql/field.ts'
import { type Bounds, deadlineIn } from '../sql/scope.ts'
import { newestIn, type Reads, read, select, type Table } from '../sql/select.ts'
import { type Sql, sql, value } from '../sql/sql.ts'

type ObjectType = 'TRACE' | 'OBSERVATION' | 'SESSION'

export interface ExistsOptions {
  readonly projectId: string
  readonly objectType: ObjectType
  readonly objectId: string
  /** If true, the v3 tables are searched, too. In the write mode `legacy`, only the v3 tables have rows. */
  readonly inOldTables: boolean
  readonly signal: AbortSignal | undefined
}

const types = { project_id: 'String', id: 'String', session_id: 'Nullable(String)', is_deleted: 'UInt8' } as const
const t = fieldsOf('t', { ...types, timestamp: 'DateTime64(3)' } as const)
const o = fieldsOf('o', { ...types, start_time: 'DateTime64(3)' } as const)

const traces: Table<'traces', typeof t> = {
  ...{ name: 'traces', alias: 't', columns: t },
  ...{ project: t.project_id, time: t.timestamp, scale: 'Milli' },
}
const observations: Table<'observations', typeof o> = {
  ...{ name: 'observations', alias: 'o', columns: o },
  ...{ project: o.project_id, time: o.start_time, scale: 'Milli' },
}

interface Place {
  readonly table: Table<string, Fields>
  readonly column: Sql
  readonly isDeleted: Sql
}

const inEvents = (column: Sql): Place => ({ table: eventsCore, column, isDeleted: e.is_deleted.sql })
const ofTraces = (column: Sql): Place => ({ table: traces, column, isDeleted: t.is_deleted.sql })

const places: Readonly<Record<ObjectType, { readonly events: Place; readonly old: Place }>> = {
  TRACE: { events: inEvents(e.trace_id.sql), old: ofTraces(t.id.sql) },
  OBSERVATION: { events: inEvents(e.span_id.sql), old: { table: observations, column: o.id.sql, isDeleted: o.is_deleted.sql } },
  SESSION: { events: inEvents(e.session_id.sql), old: ofTraces(t.session_id.sql) },
}

const limits = { rows: 10, memoryBytes: 2 ** 29, readBytes: 2 ** 37 }

/** Returns whether the object has a row that is not deleted. Throws a `column_store_*` error, or the abort signal's reason. */
export async function objectExists(columnStore: Reads, options: ExistsOptions): Promise<boolean> {
  const { projectId, objectType, objectId, inOldTables, signal } = options
  const bounds: Bounds = { limits, deadline: deadlineIn(20, 'a lookup of an object'), signal, comment: 'objects.exists' }
  const { events, old } = places[objectType]
  for (const { table, column, isDeleted } of inOldTables ? [events, old] : [events]) {
    const source = newestIn(table, { project: projectId, time: { everyTime: 'The id alone does not reveal when its object was written.' } })
    const where = [sql`${column} = ${value('String', objectId, 'objectId')}`, sql`${isDeleted} = 0`]
    const found = await read(columnStore, select(source, { found: numberField(sql`1`) }, { where, limit: 1 }), bounds)
    if (found.length > 0) return true
  }
  return false
}
