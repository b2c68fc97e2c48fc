// Reads the newest scores of each row of a page. A score is ignored if its time is more than a day before or after the times of the page's
// rows.
import { newestScores } from '../scores/named.ts'
import type { ScoreRow } from '../scores/read.ts'
import { groups, listKey, scores } from '../scores/table.ts'
import type { Field } from '../sql/field.ts'
import type { Bounds } from '../sql/scope.ts'
import { type Reads, read, select } from '../sql/select.ts'
import { join, type Sql, sql } from '../sql/sql.ts'

const day = 24n * 3_600_000_000n
const fields = { ...listKey, ...groups.core, ...groups.subject }
const { columns } = scores
const order = [columns.timestamp, columns.id]

export interface ScoresOf {
  readonly project: string
  readonly times: readonly bigint[]
  readonly where: readonly Sql[]
  readonly by: readonly Field<unknown>[]
  readonly limit: number
}

export async function readScores(
  columnStore: Reads,
  { project, times, where, by, limit }: ScoresOf,
  bounds: Bounds,
): Promise<readonly ScoreRow[]> {
  if (times.length === 0) return []
  const inOrder = times.toSorted((a, b) => (a < b ? -1 : 1))
  const range = { from: inOrder[0]! - day, to: inOrder.at(-1)! + day }
  const source = newestScores(project, range, [sql`${columns.data_type.sql} != 'CORRECTION'`, ...where])
  const orderBy = join(
    order.map(field => sql`${field.sql} DESC`),
    ', ',
  )
  const firstOf = join(
    by.map(field => field.sql),
    ', ',
  )
  return read(columnStore, select(source, fields, { orderBy, firstOf, ofEach: limit }), bounds)
}
