// Reads the load of the column store, the load of the live path, and the free disk space. A figure is null if the database user may not
// read it (contract §8.3).
import type { ColumnStore } from '@svc-server/column-store/port'
import { AppError, isAppError } from '@svc-server/errors'
import type { EventLog } from '@svc-server/log'
import { type Headroom, headroomOf, type Load, type Space } from './throttle.ts'

type Store = Pick<ColumnStore, 'query'>

const deniedCodes = new Set([497, 60])

const isDenied = (error: unknown): boolean => isAppError(error) && deniedCodes.has(Number(error.params['clickHouseCode']))

/**
 * Reads all figures in one statement. If the database user is not allowed to read all of them, each figure is read in a separate
 * statement. The figures that the user is allowed to read are then still known.
 */
async function figures(columnStore: Store, of: readonly string[]): Promise<readonly (number | null)[]> {
  try {
    const [row] = await columnStore.query<{ figures: readonly (string | number | null)[] }>(
      `SELECT [${of.map(sql => `CAST(${sql}, 'Nullable(Float64)')`).join(', ')}] AS figures`,
    )
    return of.map((_, at) => (row?.figures[at] == null ? null : Number(row.figures[at])))
  } catch (error) {
    if (!isDenied(error)) throw error
    return of.length === 1 ? [null] : Promise.all(of.map(async sql => (await figures(columnStore, [sql]))[0]!))
  }
}

const metric = (name: string) => `(SELECT toFloat64(value) FROM system.metrics WHERE metric = '${name}')`
const eventTables = `table IN ('events_full', 'events_core')`

const liveGroups = /writer$/

/** Returns the lag of the live path in milliseconds. */
async function lagOf(log: Pick<EventLog, 'lag'>): Promise<number> {
  const behind = (await log.lag()).filter(({ group, lagRecords }) => liveGroups.test(group) && lagRecords > 0)
  return behind.reduce((most, { lagMs }) => Math.max(most, lagMs), 0)
}

/** SQL expressions that measure the load of the column store. `loadOf` depends on their order. */
const loadFigures = [
  '(SELECT count() FROM system.processes) - 1',
  `(SELECT max(parts) FROM (SELECT count() AS parts FROM system.parts WHERE database = currentDatabase() AND ${eventTables} AND active GROUP BY table, partition))`,
  `${metric('BackgroundMergesAndMutationsPoolTask')} / nullIf(${metric('BackgroundMergesAndMutationsPoolSize')}, 0)`,
  `${metric('MemoryTracking')} / nullIf((SELECT toFloat64(value) FROM system.server_settings WHERE name = 'max_server_memory_usage'), 0)`,
  '(SELECT max(queue_size) FROM system.replicas WHERE database = currentDatabase())',
]

export async function loadOf(columnStore: Store, log: Pick<EventLog, 'lag'>): Promise<Load> {
  const [ofStore, lagMs] = await Promise.all([figures(columnStore, loadFigures), lagOf(log)])
  const [queries = null, parts = null, mergeShare = null, memoryShare = null, replicationQueue = null] = ofStore
  return { queries, parts, mergeShare, memoryShare, replicationQueue, lagMs }
}

const ofFullest = (figure: string) => `(SELECT argMin(toFloat64(${figure}), unreserved_space) FROM system.disks WHERE total_space > 0)`

/** Returns the space of the fullest disk. If the user is not allowed to list disks, returns the space of the database's disk. */
export async function spaceOf(columnStore: Store): Promise<Space> {
  const [freeBytes = null, totalBytes = null] = await figures(columnStore, [ofFullest('unreserved_space'), ofFullest('total_space')])
  if (freeBytes !== null) return { freeBytes, totalBytes }
  const [free = null, total = null] = await figures(columnStore, ['filesystemUnreserved()', 'filesystemCapacity()'])
  return { freeBytes: free, totalBytes: total }
}

/** Every database user can read `system.tables`, unlike `system.disks`. */
const sourceBytes = `(SELECT sum(total_bytes) FROM system.tables WHERE database = currentDatabase() AND name IN ('traces', 'observations'))`

export const readHeadroom = async (columnStore: Store): Promise<Headroom> =>
  headroomOf({ ...(await spaceOf(columnStore)), sourceBytes: (await figures(columnStore, [sourceBytes]))[0] ?? null })

/** Throws `backfill_refused` if the disk is too small. */
export async function requireHeadroom(columnStore: Store): Promise<Headroom> {
  const headroom = await readHeadroom(columnStore)
  if (headroom.state === 'too small') throw new AppError('backfill_refused', headroom.says)
  return headroom
}
