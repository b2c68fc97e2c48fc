// Deletes expired rows once a day. The time of the row's event decides when a row expires, not the time of the row's insert. A row that
// arrives too late is stored, and the next run deletes it.
import { literal } from '@svc-server/column-store/literal'
import type { ColumnStore } from '@svc-server/column-store/port'
import { existingTables } from '../tables.ts'
import { tombstonesOfAll } from '../tombstones.ts'
import { deleteLightly, type MutationWait } from './mutations.ts'

export interface Retention {
  readonly projectId: string
  readonly retentionDays: number
}

/** Maximum number of projects in one statement. With this maximum, the statement's size stays far below the column store's limit. */
const projectsOfAStatement = 100
const dayMs = 86_400_000

/** Returns a time in milliseconds since the epoch. A row expires if its event happened before this time. */
export const cutoffMs = ({ retentionDays }: Pick<Retention, 'retentionDays'>, nowMs: number): number => nowMs - retentionDays * dayMs

/**
 * Marks expired rows as deleted, so that no reader sees them. Later merges remove the rows from disk. Each statement marks the expired rows
 * of one month, for many projects. Resolves with the number of marked rows per table. Can be interrupted and repeated. Throws
 * column_store_*.
 */
export async function deleteExpired(
  columnStore: ColumnStore,
  retentions: readonly Retention[],
  nowMs: number,
  wait: MutationWait = {},
): Promise<Readonly<Record<string, number>>> {
  const deleted: Record<string, number> = {}
  for (const of of await existingTables(columnStore)) {
    const { table, time, expires } = of
    if (!expires || time === null) continue
    for (let at = 0; at < retentions.length; at += projectsOfAStatement) {
      const some = retentions.slice(at, at + projectsOfAStatement)
      // An item's newest version can expire before an older version, because the event of the older version can have a later time.
      // The older version would then become visible. The statement therefore also hides all older versions. This case is possible only
      // if the item has a row that has expired (the row's `time` is before the cutoff), but whose `event_ts` is not before the cutoff. The
      // statement ignores items without such a row.
      const hide = tombstonesOfAll(of, `(${anyOf(time, some, nowMs)})`, anyOf(time, some, nowMs, 'event_ts'))
      if (hide !== null) await columnStore.command(hide)
      for (const { partition, projects, rows } of await expiredOf(columnStore, table, time, some, nowMs)) {
        wait.signal?.throwIfAborted()
        const concerned = some.filter(({ projectId }) => projects.includes(projectId))
        await deleteLightly(columnStore, { table, partition, where: anyOf(time, concerned, nowMs) }, wait)
        deleted[table] = (deleted[table] ?? 0) + rows
      }
    }
  }
  return deleted
}

interface Expired {
  readonly partition: string
  readonly projects: readonly string[]
  readonly rows: number
}

/**
 * Finds the partitions and projects that have expired rows. The caller deletes rows only there, because a statement that deletes no rows
 * costs as much as a statement that deletes rows.
 */
async function expiredOf(
  columnStore: ColumnStore,
  table: string,
  time: string,
  retentions: readonly Retention[],
  nowMs: number,
): Promise<readonly Expired[]> {
  const found = await columnStore.query<{ readonly partition: string; readonly projects: readonly string[]; readonly rows: string }>(
    `SELECT _partition_id AS partition, groupUniqArray(project_id) AS projects, count() AS rows FROM ${table}
     WHERE ${anyOf(time, retentions, nowMs)} GROUP BY partition ORDER BY partition`,
  )
  return found.map(({ rows, ...rest }) => ({ ...rest, rows: Number(rows) }))
}

/**
 * `writtenAfter` names a column with a time. If `writtenAfter` is given, the condition selects only rows whose value in this column is not
 * before the cutoff.
 */
const anyOf = (time: string, retentions: readonly Retention[], nowMs: number, writtenAfter?: string): string =>
  retentions
    .map(each => {
      const cutoff = `fromUnixTimestamp64Milli(${Math.floor(cutoffMs(each, nowMs))})`
      const written = writtenAfter === undefined ? '' : ` AND ${writtenAfter} >= ${cutoff}`
      return `(project_id = ${literal(each.projectId)} AND ${time} < ${cutoff}${written})`
    })
    .join(' OR ')
