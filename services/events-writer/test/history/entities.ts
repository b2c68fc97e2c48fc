// For the entities of each batch, makes merged records for the old tables and filled records for the events tables. Also computes the keys
// of the rows that the writer makes from these records.

import type { ColumnStore } from '@svc-server/column-store/port'
import { createObservationRows } from '@svc-server/entities/rows/observation'
import { traceRows, virtualRootRows } from '@svc-server/entities/rows/trace'
import type { NewRecord } from '@svc-server/log'
import { CatalogLookup } from '@svc-server/observations/catalog-lookup'
import { type EntityType, entity, iso, onLog } from '../entities.ts'
import { now } from '../world.ts'
import type { Batch } from './plan.ts'

const day = 86_400_000

type Entity = ReturnType<typeof entity>

/**
 * Returns the entities of each type in a batch. Every other entity gets an additional event, which changes the start time, and thus the
 * key of the row. A given batch always has the same entities.
 */
function entitiesOf({ seed, count, twoMonths, entities: most }: Batch): readonly Entity[] {
  return Array.from({ length: Math.min(count, most) }, (_, at) => at).flatMap(at =>
    (['trace', 'observation'] as const).map(type => {
      const startMs = now - (twoMonths ? at * 20 * day : at)
      const began = (ms: number, time: number) => ({ body: { ...startOf(type, ms), name: 'entity' }, at: time })
      const id = `${seed}-${at}`
      if (at % 2 === 0) return entity(type, id, began(startMs, 0))
      return entity(type, id, began(startMs, -1), entity(type, id, began(startMs - 2 * day, 0)))
    }),
  )
}

const startOf = (type: EntityType, ms: number) => (type === 'trace' ? { timestamp: iso(ms) } : { startTime: iso(ms), traceId: 'trace' })

export function entityRecordsOf(batch: Batch): { readonly merged: readonly NewRecord[]; readonly filled: readonly NewRecord[] } {
  const { partition } = batch
  const all = entitiesOf(batch)
  return { merged: all.map(of => ({ ...onLog(of), partition })), filled: all.map(of => ({ ...onLog(of, {}), partition })) }
}

const observationRows = createObservationRows(new CatalogLookup())

/** Returns the keys and versions of the rows in the format of `foundIn`. */
function placesOf(of: Entity): readonly string[] {
  const isTrace = of.entityType === 'trace'
  const old = isTrace
    ? traceRows(of).map(({ id, timestamp, event_ts, is_deleted }) => `traces ${id} ${timestamp} ${event_ts} ${is_deleted}`)
    : observationRows
        .old(of)
        .map(({ id, start_time, event_ts, is_deleted }) => `observations ${id} ${start_time} ${event_ts} ${is_deleted}`)
  const events = (isTrace ? virtualRootRows(of) : observationRows.events(of)).flatMap(({ span_id, start_time, event_ts, is_deleted }) =>
    ['events_full', 'events_core'].map(table => `${table} ${span_id} ${start_time} ${event_ts} ${is_deleted}`),
  )
  return [...old, ...events]
}

export interface EntitiesFound {
  /** Expected rows that no table contains. */
  readonly lost: readonly string[]
  /** Rows of entities that nobody sent. */
  readonly surplus: readonly string[]
  /** Rows that the tables contain more often than the test sent them. */
  readonly doubled: readonly string[]
}

/** Returns the id of the first merged trace of a batch. */
export const firstMergedOf = (seed: string): string => `${seed}-0`

/** Compares the tables with the sent entities. Ignores the rows of the deleted merged traces, whose ids are in `gone`. */
export async function entitiesIn(columnStore: ColumnStore, sent: readonly Batch[], gone: ReadonlySet<string>): Promise<EntitiesFound> {
  const list = [...gone].map(id => `'${id}'`).join()
  const isLeft = (trace: string) => (gone.size === 0 ? '' : `AND ${trace} NOT IN (${list})`)
  const placesIn = async (table: string, id: string, ms: string, version: string) =>
    columnStore.query<{ place: string; rows: string }>(
      `SELECT concat('${table} ', ${id}, ' ', toString(${ms}), ' ', toString(${version}), ' ', toString(is_deleted)) AS place, count() AS rows
       FROM ${table} WHERE ${table.startsWith('events') ? "source = 'ingestion-api-dual-write'" : '1'}
         ${isLeft(table === 'traces' ? 'id' : 'trace_id')} GROUP BY place`,
    )
  const rows = [
    ...(await placesIn('traces', 'id', 'toUnixTimestamp64Milli(timestamp)', 'toUnixTimestamp64Milli(event_ts)')),
    ...(await placesIn('observations', 'id', 'toUnixTimestamp64Milli(start_time)', 'toUnixTimestamp64Milli(event_ts)')),
    ...(await placesIn('events_full', 'span_id', 'toUnixTimestamp64Micro(start_time)', 'toUnixTimestamp64Micro(event_ts)')),
    ...(await placesIn('events_core', 'span_id', 'toUnixTimestamp64Micro(start_time)', 'toUnixTimestamp64Micro(event_ts)')),
  ]
  const found = new Map(rows.map(({ place, rows: count }) => [place, Number(count)]))
  const expected = new Map<string, number>()
  const left = sent.flatMap(entitiesOf).filter(({ entityType, entityId }) => entityType !== 'trace' || !gone.has(entityId))
  for (const place of left.flatMap(placesOf)) expected.set(place, (expected.get(place) ?? 0) + 1)
  return {
    lost: [...expected.keys()].filter(place => !found.has(place)),
    surplus: [...found.keys()].filter(place => !expected.has(place)),
    doubled: [...found].filter(([place, count]) => count > (expected.get(place) ?? 0)).map(([place]) => place),
  }
}
