// Scores each once, as their newest rows have them: what filters and metrics look at.
import { type Field, numberField, textField } from '../sql/field.ts'
import type { Scope, TimeRange } from '../sql/scope.ts'
import { newestIn, type Source, select, versionsIn } from '../sql/select.ts'
import { type Sql, sql, value } from '../sql/sql.ts'
import { newestKeys } from './newest.ts'
import { rowKey, scores } from './table.ts'

const everyTime = { everyTime: 'A score counts whenever it was made' }
const { id, name, timestamp } = scores.columns
const key = sql`(${rowKey.id.sql}, ${rowKey.day.sql}, ${rowKey.name_hash.sql})`
const idHash = sql`sipHash64(${id.sql})`
const keyHash = sql`sipHash64(toDate(${timestamp.sql}), ${name.sql})`

/**
 * Those for which conditions hold, which must be of columns. Most ids have one key, of which FINAL takes the newest row: only of the others it has to be
 * found out which key is the newest. Which those are is told by hashes, of which a million take some 40 MB; one of two ids with one hash is looked at in vain.
 */
export function newestScores(project: string, time: TimeRange, conditions: readonly Sql[]): Source {
  const scope: Scope = { project, time }
  const all = versionsIn(scores, { project, time: everyTime })
  const candidates = select(versionsIn(scores, scope), { hash: numberField(idHash) }, { where: conditions })
  const moved = select(
    all,
    { hash: numberField(idHash) },
    { where: [sql`${idHash} IN (${candidates.sql})`], groupBy: [sql`hash`], having: sql`min(${keyHash}) != max(${keyHash})` },
  )
  const isMoved = sql`${idHash} IN (${moved.sql})`
  const ids = select(all, { id }, { where: [isMoved] })
  const { from, conditions: scoped } = newestIn(scores, scope)
  const isNewest = sql`NOT (${isMoved}) OR ${key} IN (${newestKeys(project, sql`(${ids.sql})`).sql})`
  return { from, conditions: [...scoped, ...conditions, isNewest] }
}

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
