// Rows that say that there is none at a key any more: how rows are hidden from readers at once, before they are deleted. Pure.
import type { DeletableTable } from './tables.ts'

type Hidden = Pick<DeletableTable, 'table' | 'tombstone' | 'versions'>

// The same tombstone may have to be inserted again, after a row that came back.
const settings = 'SETTINGS insert_deduplicate = 0, async_insert = 0'

/**
 * A tombstone for each key of these rows that is shown, a tick newer than the row that it hides: whichever of the two is inserted last, and nothing that
 * is newer. `where` is complete, with its literals. Null: the table has no tombstones.
 */
export function tombstonesOf({ table, tombstone }: Pick<Hidden, 'table' | 'tombstone'>, where: string): string | null {
  if (tombstone === null) return null
  const columns = tombstone.columns.join(', ')
  return `INSERT INTO ${table} (${columns}, event_ts, is_deleted)
    SELECT ${columns}, max(${table}.event_ts) + ${tombstone.tick}(1), 1 FROM ${table} WHERE ${where}
    GROUP BY ${columns} HAVING argMax(${table}.is_deleted, ${table}.event_ts) = 0 ${settings}`
}

/**
 * The same for everything whose newest version is one of these rows: its older versions, under whatever key and of whatever trace, would be shown once
 * the newest is deleted. `among`: where such a newest one is looked for; absent: `where` itself. Null: the table has no tombstones, or no such versions.
 */
export function tombstonesOfAll({ table, tombstone, versions }: Hidden, where: string, among = where): string | null {
  if (tombstone === null || versions === null) return null
  const columns = tombstone.columns.join(', ')
  const [key, identity] = [versions.key.join(', '), versions.identity.join(', ')]
  const newest = 'argMaxIf(mine, (at, gone), gone = 0 OR mine)'
  // Tombstones of other rows do not say what is newest: they may be of this statement, done before. They are a tick newer than those that are deleted next,
  // so that a merge leaves one at the key: audits look for what was stored there.
  return `INSERT INTO ${table} (${columns}, event_ts, is_deleted)
    SELECT ${columns}, max(last) + ${tombstone.tick}(if(max(mine), 1, 2)), 1 FROM (
      SELECT ${columns}, ${table}.event_ts AS at, ${table}.is_deleted AS gone, ifNull(${where}, 0) AS mine,
        max(at) OVER here AS last, ${newest} OVER same OR ${newest} OVER here AS theirs,
        maxIf(at, gone) OVER here AS hidden, maxIf(at, gone AND NOT mine) OVER here AS kept
      FROM ${table} WHERE (${identity}) IN (SELECT ${identity} FROM ${table} WHERE ${among})
      WINDOW same AS (PARTITION BY ${identity}), here AS (PARTITION BY ${key}))
    WHERE theirs GROUP BY ${columns} HAVING maxIf(at, NOT gone) >= if(max(mine), max(hidden), max(kept)) ${settings}`
}
