// Streams all matching scores for GET /api/public/v3/scores. The column store writes the scores in the output format of the stream.
import { isOverloaded } from '../newest/keys.ts'
import type { RowOf } from '../sql/field.ts'
import { type Bounds, deadlineIn, type TimeRange } from '../sql/scope.ts'
import { read, readBytes, select, timeValue, versionsIn, type Writes } from '../sql/select.ts'
import { all, type Sql, sql, value } from '../sql/sql.ts'
import { ahead } from '../stream/ahead.ts'
import { type Piece, streamFormat } from '../stream/format.ts'
import { limitOf, type Paging, type StreamRequest } from '../stream/request.ts'
import { targetRows } from '../stream/target.ts'
import { conditionsOf, rangeOf, type ScoreQuery } from './filter.ts'
import { newestScores } from './named.ts'
import { scores } from './table.ts'
import { writtenScore } from './written.ts'

const limits = { rows: 20_000, memoryBytes: 2 ** 29, readBytes: 2 ** 36 }
const maxSliceBytes = 48 * 1024 * 1024
const millisecond = 1_000n

const { id, timestamp } = scores.columns
const key = { at: timestamp, id }
type Key = RowOf<typeof key>

const order = sql`${timestamp.sql} DESC, ${id.sql} DESC`
const tupleOf = ({ at, id: of }: Key): Sql => sql`(${timeValue(at, 'Milli')}, ${value('String', of)})`

/** Excludes `above` and includes `last`. */
const between = (above: Key | undefined, last: Key | undefined): readonly Sql[] => [
  ...(above === undefined ? [] : [sql`(${timestamp.sql}, ${id.sql}) < ${tupleOf(above)}`]),
  ...(last === undefined ? [] : [sql`(${timestamp.sql}, ${id.sql}) >= ${tupleOf(last)}`]),
]

function narrowed(range: TimeRange, above: Key | undefined, last: Key | undefined): TimeRange {
  const [from, to] = 'everyTime' in range ? [undefined, undefined] : [range.from, range.to]
  const [oldest, newest] = [last?.at ?? from, above === undefined ? to : above.at + millisecond]
  if (oldest !== undefined) return { from: oldest, to: newest }
  return newest === undefined ? range : { to: newest }
}

/** The call throws InvalidQuery. The generator throws a `column_store_*` error, or the abort signal's reason. */
export function streamScores(
  columnStore: Writes,
  { projectId: project, query, type, signal, turn }: StreamRequest<ScoreQuery & Paging>,
): AsyncGenerator<Piece, void, undefined> {
  const limit = limitOf(query)
  const conditions = conditionsOf(query)
  const range = rangeOf(query)
  const fields = writtenScore(query.fields ?? [])
  const format = streamFormat(type)
  const boundsOf = (): Bounds => ({
    ...{ limits, signal, comment: 'scores.stream' },
    deadline: deadlineIn(30, 'a slice of a stream of scores'),
  })

  /** Finds the keys of the next rows, including superseded rows. */
  async function keysBelow(above: Key | undefined, count: number): Promise<readonly Key[]> {
    const source = versionsIn(scores, { project, time: narrowed(range, above, undefined) })
    const clauses = { where: [...conditions, ...between(above, undefined)], orderBy: order, limit: count }
    return read(columnStore, select(source, key, clauses), boundsOf())
  }

  async function pieceOf(above: Key | undefined, last: Key | undefined, left: number, maxBytes: number | undefined): Promise<Piece> {
    const { from, conditions: where } = newestScores(project, narrowed(range, above, last), [...conditions, ...between(above, last)])
    const chosen = last === undefined ? [...where, sql`0`] : where
    const statement = sql`SELECT ${format.columns(fields)} FROM ${from} WHERE ${all(chosen)} ORDER BY ${order} LIMIT ${value('UInt32', left, 'limit')}`
    return format.piece(await readBytes(columnStore, statement, { format: format.format, bounds: boundsOf(), maxBytes }))
  }

  async function* pieces(): AsyncGenerator<Piece, void, undefined> {
    const target = targetRows()
    let left = limit
    let above: Key | undefined
    let isBegun = false
    while (left > 0) {
      const count = Math.min(target.next, limits.rows)
      const keys = await turn(() => keysBelow(above, count))
      const last = keys.at(-1)
      if (last === undefined) break
      const piece = await turn(() => pieceOf(above, last, left, keys.length > 1 ? maxSliceBytes : undefined)).catch((error: unknown) => {
        if (isOverloaded(error) && keys.length > 1) return undefined
        throw error
      })
      if (piece === undefined) {
        target.halve(keys.length)
        continue
      }
      isBegun = true
      left -= piece.rows
      target.sent(piece)
      yield piece
      above = last
      if (keys.length < count) break
    }
    // Without rows, the stream still contains the names of the columns.
    if (!isBegun) yield await turn(() => pieceOf(undefined, undefined, left, undefined))
    yield format.end()
  }
  return ahead(pieces())
}
