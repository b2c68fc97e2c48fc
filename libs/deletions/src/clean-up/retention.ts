// Projects that keep their rows for so many days: what is older goes, once a day. Rows are judged by when they happened; one that
// comes late and is older already is stored, and goes with the next run.
import { literal } from '@svc-server/column-store/literal'
import type { ColumnStore } from '@svc-server/column-store/port'
import { existingTables } from '../tables.ts'
import { tombstonesOfAll } from '../tombstones.ts'
import { deleteLightly, type MutationWait } from './mutations.ts'

export interface Retention {
  readonly projectId: string
  readonly retentionDays: number
}

/** Of one statement: its text stays far below what the column store parses. */
const projectsOfAStatement = 100
const dayMs = 86_400_000

/** What happened before is over for the project; milliseconds since the epoch. */
export const cutoffMs = ({ retentionDays }: Pick<Retention, 'retentionDays'>, nowMs: number): number => nowMs - retentionDays * dayMs

/**
 * Deletes from every reader what is too old; its bytes go as parts are merged. One statement for many projects of a month. Resolves
 * with the number of rows that went, by table. May be broken off anywhere and begun again. Throws column_store_*.
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
      // Older versions of what is too old by its newest would be shown from then on. Only what was written after the cutoff can have a younger one.
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

/** Where there is something to delete: a statement without rows would cost as much as one with some. */
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

/** `writtenAfter`: a column of time, of those alone that have it after the cutoff. */
const anyOf = (time: string, retentions: readonly Retention[], nowMs: number, writtenAfter?: string): string =>
  retentions
    .map(each => {
      const cutoff = `fromUnixTimestamp64Milli(${Math.floor(cutoffMs(each, nowMs))})`
      const written = writtenAfter === undefined ? '' : ` AND ${writtenAfter} >= ${cutoff}`
      return `(project_id = ${literal(each.projectId)} AND ${time} < ${cutoff}${written})`
    })
    .join(' OR ')
