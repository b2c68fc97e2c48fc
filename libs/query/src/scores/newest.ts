// Finds the newest row of a score. The column store merges only rows with equal keys, but rows of one score can have different keys. If the
// newest row is a tombstone, the score does not exist.
import { number, text } from '../sql/decode.ts'
import { field, numberField, textField } from '../sql/field.ts'
import type { Scope } from '../sql/scope.ts'
import { newestIn, outputs, rowsOf, type Source, select, versionsIn } from '../sql/select.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { rowKey, scores } from './table.ts'

/**
 * Selects the key of each id's newest row, unless this row is a tombstone. `ids` is the SQL on the right side of IN. FINAL omits
 * tombstones, so they are read separately. Among rows of the same version, a tombstone wins. If there is no tombstone, the row with the
 * last key in the sort order wins. These rules do not depend on which rows are merged already, so a merge never changes the result.
 */
export function newestKeys(project: string, ids: Sql) {
  const scope: Scope = { project, time: { everyTime: 'The newest row of an id may have any time' } }
  const rows = (source: Source, final: 0 | 1) =>
    select(
      source,
      { ...rowKey, at: scores.columns.event_ts, final: numberField(final === 1 ? sql`1` : sql`0`) },
      { where: [sql`${scores.columns.id.sql} IN ${ids}`] },
    )
  const both = rowsOf(rows(versionsIn(scores, scope), 0), rows(newestIn(scores, scope), 1))
  const { id, day, name_hash } = outputs(rows(both, 0))
  const keys = select(
    both,
    {
      ...{ id, day, name_hash },
      alive: numberField(sql`max(final)`),
      version: field(sql`(max(at), 1 - alive, day, name_hash)`, text),
    },
    { groupBy: [id.sql, day.sql, name_hash.sql] },
  )
  const newest = select(
    rowsOf(keys),
    {
      id,
      last_day: textField(sql`argMax(day, version)`),
      last_name: textField(sql`argMax(name_hash, version)`),
      last_alive: field(sql`argMax(alive, version)`, number),
    },
    { groupBy: [id.sql] },
  )
  const { last_day, last_name } = outputs(newest)
  return select(rowsOf(newest), { id, last_day, last_name }, { where: [sql`last_alive = 1`] })
}
