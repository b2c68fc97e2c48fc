// Creates the source from which filters and metrics read scores. Each score occurs once, with the values of its newest row.
import { type Field, numberField, textField } from '../sql/field.ts'
import type { Scope, TimeRange } from '../sql/scope.ts'
import { newestIn, type Source, select, versionsIn } from '../sql/select.ts'
import { type Sql, sql, value } from '../sql/sql.ts'
import { newestKeys } from './newest.ts'
import { rowKey, scores } from './table.ts'

const everyTime = { everyTime: 'A score is counted at any time' }
const { id, name, timestamp } = scores.columns
const key = sql`(${rowKey.id.sql}, ${rowKey.day.sql}, ${rowKey.name_hash.sql})`
const idHash = sql`sipHash64(${id.sql})`
const keyHash = sql`sipHash64(toDate(${timestamp.sql}), ${name.sql})`

/**
 * The conditions can use only columns of `scores`. Most ids have one key, and FINAL finds the newest row of this key. If an id has several
 * keys, FINAL finds one row per key, so the query must also find out which of these keys has the newest row. To save memory, the query
 * finds ids with several keys by the hashes of the ids. A million ids then need some 40 MB. If different ids have the same hash, the only
 * effect is an unnecessary search for the newest keys of these ids.
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

/** A query reads a missing id as an empty text. */
export const subject = { trace: orEmpty(scores.columns.trace_id), observation: orEmpty(scores.columns.observation_id) }

/** Observations without scores are absent. */
export function observationScoreCounts(project: string) {
  const source = newestScores(project, everyTime, [sql`${subject.observation.sql} != ''`])
  const fields = { ...subject, scores: numberField(sql`count()`) }
  return select(source, fields, { groupBy: [sql`trace`, sql`observation`] })
}
