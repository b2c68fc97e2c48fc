// Scores each once, as their newest rows have them: what filters and metrics look at.
import { type Field, numberField, textField } from '../sql/field.ts'
import type { Scope, TimeRange } from '../sql/scope.ts'
import { newestIn, type Source, select, versionsIn } from '../sql/select.ts'
import { type Sql, sql, value } from '../sql/sql.ts'
import { newestKeys } from './newest.ts'
import { rowKey, scores } from './table.ts'

/** Those for which conditions hold, which must be of columns. */
export function newestScores(project: string, time: TimeRange, conditions: readonly Sql[]): Source {
  const scope: Scope = { project, time }
  // Rows that pass name ids; which of an id's rows is the newest, rows of any time say.
  const ids = select(versionsIn(scores, scope), { id: scores.columns.id }, { where: conditions })
  const { from, conditions: scoped } = newestIn(scores, scope)
  const key = sql`(${rowKey.id.sql}, ${rowKey.day.sql}, ${rowKey.name_hash.sql})`
  return { from, conditions: [...scoped, ...conditions, sql`${key} IN (${newestKeys(project, sql`(${ids.sql})`).sql})`] }
}

const everyTime = { everyTime: 'A score counts whenever it was made' }

export const scoresNamed = (project: string, name: string): Source =>
  newestScores(project, everyTime, [sql`${scores.columns.name.sql} = ${value('String', name)}`])

const orEmpty = ({ sql: column }: Field<string | null>): Field<string> => textField(sql`ifNull(${column}, '')`)

/** What a score is on: empty texts where there is none. */
export const subject = { trace: orEmpty(scores.columns.trace_id), observation: orEmpty(scores.columns.observation_id) }

/** Of each observation that has any, how many. */
export function observationScoreCounts(project: string) {
  const source = newestScores(project, everyTime, [sql`${subject.observation.sql} != ''`])
  const fields = { ...subject, scores: numberField(sql`count()`) }
  return select(source, fields, { groupBy: [sql`trace`, sql`observation`] })
}
