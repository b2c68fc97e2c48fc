// What the column store and the live path have to do, and how much room the disks have. Of what a user may not read, the figure is null: contract §8.3 grants some of
// these tables alone.
import type { ColumnStore } from '@svc-server/column-store/port'
import { AppError, isAppError } from '@svc-server/errors'
import type { EventLog } from '@svc-server/log'
import { type Disk, headroomProblem, type Load } from './courtesy.ts'

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

export async function diskOf(columnStore: Store): Promise<Disk> {
  const [freeBytes, totalBytes, sourceBytes] = await Promise.all([
    figure(columnStore, '(SELECT min(toFloat64(unreserved_space)) FROM system.disks WHERE total_space > 0)'),
    figure(columnStore, '(SELECT argMin(toFloat64(total_space), unreserved_space) FROM system.disks WHERE total_space > 0)'),
    figure(
      columnStore,
      `(SELECT toFloat64(sum(bytes_on_disk)) FROM system.parts WHERE database = currentDatabase() AND table IN ('traces', 'observations') AND active)`,
    ),
  ])
  return { freeBytes, totalBytes, sourceBytes }
}

/** Before the backfill begins. Throws `backfill_refused` while the disk is too small for it. */
export async function requireHeadroom(columnStore: Store): Promise<void> {
  const problem = headroomProblem(await diskOf(columnStore))
  if (problem !== null) throw new AppError('backfill_refused', problem)
}
