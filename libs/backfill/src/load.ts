// What the column store and the live path have to do, and how much room the disks have. Of what a user may not read, the figure is null: contract §8.3 grants some of
// these tables alone.
import type { ColumnStore } from '@svc-server/column-store/port'
import { AppError, isAppError } from '@svc-server/errors'
import type { EventLog } from '@svc-server/log'
import { type Headroom, headroomOf, type Load, type Space } from './courtesy.ts'

type Store = Pick<ColumnStore, 'query'>

const deniedCodes = new Set([497, 60])

async function figure(columnStore: Store, sql: string): Promise<number | null> {
  try {
    const [row] = await columnStore.query<{ figure: string | number | null }>(`SELECT ${sql} AS figure`)
    return row?.figure == null ? null : Number(row.figure)
  } catch (error) {
    if (isAppError(error) && deniedCodes.has(Number(error.params['clickHouseCode']))) return null
    throw error
  }
}

const metric = (name: string) => `(SELECT toFloat64(value) FROM system.metrics WHERE metric = '${name}')`
const eventTables = `table IN ('events_full', 'events_core')`

/** Groups that bring what is accepted to the tables. */
const liveGroups = /writer$/

/** How far the live path is behind, milliseconds. */
async function lagOf(log: Pick<EventLog, 'lag'>): Promise<number> {
  const behind = (await log.lag()).filter(({ group, lagRecords }) => liveGroups.test(group) && lagRecords > 0)
  return behind.reduce((most, { lagMs }) => Math.max(most, lagMs), 0)
}

export async function loadOf(columnStore: Store, log: Pick<EventLog, 'lag'>): Promise<Load> {
  const [queries, parts, mergeShare, memoryShare, replicationQueue, lagMs] = await Promise.all([
    // Statements beside this one.
    figure(columnStore, '(SELECT count() FROM system.processes) - 1'),
    figure(
      columnStore,
      `(SELECT max(parts) FROM (SELECT count() AS parts FROM system.parts WHERE database = currentDatabase() AND ${eventTables} AND active GROUP BY table, partition))`,
    ),
    figure(columnStore, `${metric('BackgroundMergesAndMutationsPoolTask')} / nullIf(${metric('BackgroundMergesAndMutationsPoolSize')}, 0)`),
    figure(
      columnStore,
      `${metric('MemoryTracking')} / nullIf((SELECT toFloat64(value) FROM system.server_settings WHERE name = 'max_server_memory_usage'), 0)`,
    ),
    figure(columnStore, '(SELECT max(queue_size) FROM system.replicas WHERE database = currentDatabase())'),
    lagOf(log),
  ])
  return { queries, parts, mergeShare, memoryShare, replicationQueue, lagMs }
}

const ofFullest = (figure: string) => `(SELECT argMin(toFloat64(${figure}), unreserved_space) FROM system.disks WHERE total_space > 0)`

/** Room on the fullest disk; where its user may not read the disks, that of the disk with the database's directory. */
export async function spaceOf(columnStore: Store): Promise<Space> {
  const [freeBytes, totalBytes] = await Promise.all([
    figure(columnStore, ofFullest('unreserved_space')),
    figure(columnStore, ofFullest('total_space')),
  ])
  if (freeBytes !== null) return { freeBytes, totalBytes }
  return {
    freeBytes: await figure(columnStore, 'toFloat64(filesystemUnreserved())'),
    totalBytes: await figure(columnStore, 'toFloat64(filesystemCapacity())'),
  }
}

/** What the old tables take, by a table that every user may read. */
const sourceBytesOf = (columnStore: Store): Promise<number | null> =>
  figure(
    columnStore,
    `(SELECT toFloat64(sum(total_bytes)) FROM system.tables WHERE database = currentDatabase() AND name IN ('traces', 'observations'))`,
  )

/** How it stands with the disk before the backfill begins. */
export const readHeadroom = async (columnStore: Store): Promise<Headroom> =>
  headroomOf({ ...(await spaceOf(columnStore)), sourceBytes: await sourceBytesOf(columnStore) })

/** Throws `backfill_refused` while the disk is too small for it. */
export async function requireHeadroom(columnStore: Store): Promise<Headroom> {
  const headroom = await readHeadroom(columnStore)
  if (headroom.state === 'too small') throw new AppError('backfill_refused', headroom.says)
  return headroom
}
