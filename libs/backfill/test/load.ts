import { sql } from 'kysely'
import type { EventRow } from './model.ts'
import type { V3Data } from './v3-data.ts'
import type { World } from './world.ts'

const timeColumns = new Set(['timestamp', 'start_time', 'end_time', 'created_at', 'event_ts'])

const asText = (row: object) =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        timeColumns.has(name) && typeof value === 'number' ? new Date(value).toISOString() : value,
      ]),
    ),
  )

export async function insert({ columnStore }: World, table: string, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return
  await columnStore.command(
    `INSERT INTO ${table} SETTINGS date_time_input_format = 'best_effort' FORMAT JSONEachRow\n${rows.map(asText).join('\n')}`,
  )
}

export async function load(world: World, data: V3Data): Promise<void> {
  await insert(world, 'traces', data.traces)
  await insert(world, 'observations', data.observations)
  await insert(world, 'dataset_run_items_rmt', data.runItems)
  const present = data.present.map(({ start_us, ...row }) => {
    const time = `${new Date(start_us / 1000).toISOString().slice(0, -1)}${String(start_us % 1000).padStart(3, '0')}Z`
    return { ...row, start_time: time, event_ts: time, source: 'otel' }
  })
  await insert(world, 'events_full', present)
  await deny(world, data.denied)
}

export async function deny({ relational: { db } }: World, denied: V3Data['denied']): Promise<void> {
  await sql`insert into organizations (id, name) values ('o', 'Org') on conflict do nothing`.execute(db)
  for (const { project_id, trace_id } of denied) {
    await sql`insert into projects (id, org_id, name) values (${project_id}, 'o', ${project_id}) on conflict do nothing`.execute(db)
    await sql`insert into pending_deletions (id, project_id, object, object_id) values (${`${project_id} ${trace_id}`}, ${project_id}, 'trace', ${trace_id})`.execute(
      db,
    )
  }
}

const us = (column: string, name: string) => `toUnixTimestamp64Micro(${column}) AS ${name}`
const read = `project_id, trace_id, span_id, parent_span_id, ${us('start_time', 'start_us')}, ${us('event_ts', 'event_us')},
  if(isNull(end_time), NULL, toUnixTimestamp64Micro(assumeNotNull(end_time))) AS end_us, name, type, version, release, trace_name, user_id, session_id, tags, level,
  status_message, bookmarked, public, input, output, metadata_names, metadata_values, metadata_types, usage_details, source,
  experiment_id, experiment_item_id, experiment_item_root_span_id, experiment_metadata_names`

/** Returns all stored rows. A row that was inserted twice appears twice. */
export const readEvents = (world: World, table: string): Promise<EventRow[]> => readFrom(world, table)

/**
 * Returns the rows of a query with FINAL. The function cuts off the microseconds of the versions, because a rewritten row is a few
 * microseconds newer than its source row.
 */
export const readShownEvents = async (world: World, table: string): Promise<EventRow[]> =>
  (await readFrom(world, `${table} FINAL`)).map(row => ({ ...row, event_us: Math.floor(Number(row['event_us']) / 1000) * 1000 }))

const readFrom = async ({ columnStore }: World, table: string): Promise<EventRow[]> =>
  (
    await columnStore.query<Record<string, unknown>>(
      `SELECT ${read} FROM ${table} WHERE source LIKE '%-backfill' SETTINGS output_format_json_quote_64bit_integers = 0`,
    )
  ).map(({ usage_details, start_us, end_us, event_us, ...row }) => ({
    ...row,
    ...{ start_us: Number(start_us), event_us: Number(event_us), end_us: end_us === null ? null : Number(end_us) },
    usage_details: Object.fromEntries(Object.entries(usage_details as object).map(([name, value]) => [name, Number(value)])),
  }))

export const inOrder = (rows: readonly EventRow[]): string[] =>
  rows.map(row => JSON.stringify(Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))))).sort()
