// Tombstones hide rows from readers at once, before the rows are deleted. Pure functions.
import type { DeletableTable } from './tables.ts'

type Hidden = Pick<DeletableTable, 'table' | 'tombstone' | 'versions'>

// The same tombstone may have to be inserted again after a row has come back.
const settings = 'SETTINGS insert_deduplicate = 0, async_insert = 0'

/**
 * SQL that inserts a tombstone for each visible key of these rows, one tick newer than the hidden row. The order of
 * the two inserts therefore does not matter, and newer rows stay visible. `where` is complete SQL with its literals.
 * Null when the table has no tombstones.
 */
export function tombstonesOf({ table, tombstone }: Pick<Hidden, 'table' | 'tombstone'>, where: string): string | null {
  if (tombstone === null) return null
  const columns = tombstone.columns.join(', ')
  return `INSERT INTO ${table} (${columns}, event_ts, is_deleted)
    SELECT ${columns}, max(${table}.event_ts) + ${tombstone.tick}(1), 1 FROM ${table} WHERE ${where}
    GROUP BY ${columns} HAVING argMax(${table}.is_deleted, ${table}.event_ts) = 0 ${settings}`
}

/**
 * SQL that also hides the older versions of every item whose newest version is one of these rows. These versions, under any key and trace,
 * would become visible once the newest is deleted. `among` is the condition for the rows in which to look for the items; it defaults to
 * `where`. Null when the table has no tombstones or no such versions.
 */
export function tombstonesOfAll({ table, tombstone, versions }: Hidden, where: string, among = where): string | null {
  if (tombstone === null || versions === null) return null
  const columns = tombstone.columns.join(', ')
  const [key, identity] = [versions.key.join(', '), versions.identity.join(', ')]
  const newest = 'argMaxIf(mine, (at, gone), gone = 0 OR mine)'
  // Tombstones of other rows do not determine the newest version: they may come from an earlier run of this
  // statement. New tombstones are one tick newer than the rows deleted next, so that a merge leaves one at the key,
  // where audits look for the stored row.
  return `INSERT INTO ${table} (${columns}, event_ts, is_deleted)
    SELECT ${columns}, max(last) + ${tombstone.tick}(if(max(mine), 1, 2)), 1 FROM (
      SELECT ${columns}, ${table}.event_ts AS at, ${table}.is_deleted AS gone, ifNull(${where}, 0) AS mine,
        max(at) OVER here AS last, ${newest} OVER same OR ${newest} OVER here AS theirs,
        maxIf(at, gone) OVER here AS hidden, maxIf(at, gone AND NOT mine) OVER here AS kept
      FROM ${table} WHERE (${identity}) IN (SELECT ${identity} FROM ${table} WHERE ${among})
      WINDOW same AS (PARTITION BY ${identity}), here AS (PARTITION BY ${key}))
    WHERE theirs GROUP BY ${columns} HAVING maxIf(at, NOT gone) >= if(max(mine), max(hidden), max(kept)) ${settings}`
}
