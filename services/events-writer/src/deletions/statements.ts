import { literal } from '@svc-server/column-store/literal'
import type { Denied } from '@svc-server/deletions/denials'
import { type DeletableTable, deletableTables } from '@svc-server/deletions/tables'
import { tombstonesOf, tombstonesOfAll } from '@svc-server/deletions/tombstones'

/** Limits for one statement. A longer statement could exceed the length that the server accepts. */
const maxEntries = 1_000
const maxCharacters = 100_000

/** Splits the deletions into batches for one statement each. The order stays the same. */
export function inBatches<One extends Denied>(all: readonly One[]): readonly (readonly One[])[] {
  const batches: One[][] = []
  let characters = 0
  for (const one of all) {
    const length = one.projectId.length + (one.traceId?.length ?? 0) + 10
    const last = batches.at(-1)
    if (last === undefined || last.length === maxEntries || characters + length > maxCharacters) {
      batches.push([one])
      characters = length
    } else {
      last.push(one)
      characters += length
    }
  }
  return batches
}

const listOf = (values: readonly string[]): string => values.join(', ')
const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)]

/** Returns a condition for the rows of the given deletions. Null if these deletions concern no row of the table. */
export function rowsOf({ trace }: Pick<DeletableTable, 'trace'>, deleted: readonly Denied[]): string | null {
  const projects = deleted.filter(({ traceId }) => traceId === null).map(({ projectId }) => literal(projectId))
  const traces = deleted.flatMap(({ projectId, traceId }) => (traceId === null ? [] : [[literal(projectId), literal(traceId)] as const]))
  const conditions = projects.length === 0 ? [] : [`project_id IN (${listOf(projects)})`]
  if (trace !== null && traces.length > 0) {
    const [ofProjects, ids] = [distinct(traces.map(([project]) => project)), distinct(traces.map(([, id]) => id))]
    const pairs = traces.map(([project, id]) => `(${project}, ${id})`)
    // The engine uses no index for pairs of project and id. The query therefore also has one condition on the project and one condition on
    // the id.
    conditions.push(
      `(project_id IN (${listOf(ofProjects)}) AND ${trace} IN (${listOf(ids)}) AND (project_id, ${trace}) IN (${listOf(pairs)}))`,
    )
  }
  return conditions.length === 0 ? null : `(${conditions.join(' OR ')})`
}

/**
 * Returns a statement that inserts tombstones for the rows of the given deletions. Returns null if these deletions concern no row of the
 * table, or if the table has no tombstones.
 */
export function hideStatement(of: DeletableTable, deleted: readonly Denied[]): string | null {
  const where = rowsOf(of, deleted)
  if (where === null) return null
  return of.versions === null ? tombstonesOf(of, where) : tombstonesOfAll(of, where)
}

export interface DeletedScore {
  readonly projectId: string
  readonly id: string
  readonly untilMs: number
}

const scores = deletableTables.find(({ table }) => table === 'scores')!

export function hideScoresStatement(deleted: readonly DeletedScore[]): string {
  const each = deleted.map(
    ({ projectId, id, untilMs }) =>
      `(project_id = ${literal(projectId)} AND id = ${literal(id)} AND event_ts <= fromUnixTimestamp64Milli(${untilMs}))`,
  )
  return tombstonesOf(scores, `(${each.join(' OR ')})`)!
}

/**
 * Returns a query for the rows of the given deletions: their number, and their earliest and latest times. Tombstones count as rows. Returns
 * null if the table cannot have rows of these deletions.
 */
export function extentQuery(of: DeletableTable, deleted: readonly Denied[]): string | null {
  const { table, time } = of
  const where = rowsOf(of, deleted)
  const edges = time === null ? '' : `, toString(min(${time})) AS first, toString(max(${time})) AS last`
  return where === null ? null : `SELECT count() AS rows${edges} FROM ${table} WHERE ${where}`
}

export interface Extent {
  readonly rows: string
  readonly first?: string
  readonly last?: string
}

/** The statement contains the earliest and latest times of the rows, so that the engine skips parts outside this range. */
export function deleteStatement(of: DeletableTable, deleted: readonly Denied[], { first, last }: Extent): string {
  const { table, time } = of
  const within = time === null || first === undefined ? '' : ` AND ${time} >= ${literal(first)} AND ${time} <= ${literal(last!)}`
  // The statement runs in the background, because it can take longer than a request.
  return `DELETE FROM ${table} WHERE ${rowsOf(of, deleted)}${within} SETTINGS lightweight_deletes_sync = 0`
}
