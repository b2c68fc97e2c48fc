// Tombstones hide rows from readers before the rows are deleted.
import type { DeletableTable } from './tables.ts'

type Hidden = Pick<DeletableTable, 'table' | 'tombstone' | 'versions'>

// If a row is deleted twice, the second tombstone can equal the first. The column store must not drop the second tombstone as a duplicate.
const settings = 'SETTINGS insert_deduplicate = 0, async_insert = 0'

/**
 * Returns SQL that inserts a tombstone for the key of each visible row that matches `where`. The tombstone is newer than its row by one
 * tick, the smallest unit of a version in the table. Newer rows therefore stay visible. `where` must contain literals, because the
 * statement has no parameters. Returns null if deletions insert no tombstones into this table (`tombstone` is null).
 */
export function tombstonesOf({ table, tombstone }: Pick<Hidden, 'table' | 'tombstone'>, where: string): string | null {
  if (tombstone === null) return null
  const columns = tombstone.columns.join(', ')
  return `INSERT INTO ${table} (${columns}, event_ts, is_deleted)
    SELECT ${columns}, max(${table}.event_ts) + ${tombstone.tick}(1), 1 FROM ${table} WHERE ${where}
    GROUP BY ${columns} HAVING argMax(${table}.is_deleted, ${table}.event_ts) = 0 ${settings}`
}

/**
 * Returns SQL that hides all items whose newest version matches `where`. The SQL also hides the older versions of such an item, even
 * versions with another key or trace. Otherwise the older versions would become visible. If no row of an item matches `among`, the item is
 * ignored. Returns null if deletions insert no tombstones into this table (`tombstone` is null). Also returns null if no item of this
 * table can have versions with another key or trace (`versions` is null).
 */
export function tombstonesOfAll({ table, tombstone, versions }: Hidden, where: string, among = where): string | null {
  if (tombstone === null || versions === null) return null
  const columns = tombstone.columns.join(', ')
  const [key, identity] = [versions.key.join(', '), versions.identity.join(', ')]
  const newest = 'argMaxIf(mine, (at, gone), gone = 0 OR mine)'
  // The statement also hides rows that do not match `where`, such as older versions of an item. An earlier run can therefore have inserted
  // tombstones for such rows. The statement ignores these tombstones when it determines the newest version. Each new tombstone is newer
  // than all rows of its key. Merges therefore keep the new tombstones, which audits look up.
  return `INSERT INTO ${table} (${columns}, event_ts, is_deleted)
    SELECT ${columns}, max(last) + ${tombstone.tick}(if(max(mine), 1, 2)), 1 FROM (
      SELECT ${columns}, ${table}.event_ts AS at, ${table}.is_deleted AS gone, ifNull(${where}, 0) AS mine,
        max(at) OVER here AS last, ${newest} OVER same OR ${newest} OVER here AS theirs,
        maxIf(at, gone) OVER here AS hidden, maxIf(at, gone AND NOT mine) OVER here AS kept
      FROM ${table} WHERE (${identity}) IN (SELECT ${identity} FROM ${table} WHERE ${among})
      WINDOW same AS (PARTITION BY ${identity}), here AS (PARTITION BY ${key}))
    WHERE theirs GROUP BY ${columns} HAVING maxIf(at, NOT gone) >= if(max(mine), max(hidden), max(kept)) ${settings}`
}
