// Scores of one name, each once as its newest row has it: what filters of observations look at.
import type { Scope } from '../sql/scope.ts'
import { newestIn, type Source, select, versionsIn } from '../sql/select.ts'
import { sql, value } from '../sql/sql.ts'
import { newestKeys } from './newest.ts'
import { rowKey, scores } from './table.ts'

export function scoresNamed(project: string, name: string): Source {
  const scope: Scope = { project, time: { everyTime: 'A score counts whenever it was made' } }
  const { id, name: column } = scores.columns
  const isNamed = sql`${column.sql} = ${value('String', name)}`
  const ids = select(versionsIn(scores, scope), { id }, { where: [isNamed] })
  const { from, conditions } = newestIn(scores, scope)
  const keys = sql`(${rowKey.id.sql}, ${rowKey.day.sql}, ${rowKey.name_hash.sql})`
  return { from, conditions: [...conditions, isNamed, sql`${keys} IN (${newestKeys(project, sql`(${ids.sql})`).sql})`] }
}
