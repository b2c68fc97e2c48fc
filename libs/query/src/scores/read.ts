// Reads pages of scores in two steps. The first step finds keys. The second step reads as many rows as fit into the page.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { RowOf } from '../sql/field.ts'
import { type Bounds, deadlineIn, type Limits } from '../sql/scope.ts'
import { newestIn, read, select, timeValue } from '../sql/select.ts'
import { join, type Sql, sql, value } from '../sql/sql.ts'
import { checkedMicrosOf, isoOfMillis } from '../times.ts'
import { conditionsOf, rangeOf, type ScoreQuery } from './filter.ts'
import { newestKeys } from './newest.ts'
import { bytesOf, groups, listKey, rowKey, type ScoreGroup, scores } from './table.ts'

export interface ScoreKey {
  readonly name: string
  readonly timestampUs: number
}

interface ScorePosition {
  /** ISO, with milliseconds. */
  readonly lastTimestamp: string
  readonly lastId: string
}

type Groups = typeof groups
type KeyRow = RowOf<typeof listKey>

/** Fields of unselected groups are absent. */
export type ScoreRow = KeyRow & RowOf<Groups['core']> & Partial<RowOf<Groups['details'] & Groups['annotation'] & Groups['subject']>>

interface ScorePage {
  readonly rows: readonly ScoreRow[]
  /** Where the next page begins; undefined on the last page. */
  readonly next: ScorePosition | undefined
}

export interface ScoreReader {
  /** Throws a `column_store_*` error, or the abort signal's reason. */
  page(
    projectId: string,
    query: ScoreQuery,
    limit: number,
    after: ScorePosition | undefined,
    signal?: AbortSignal | undefined,
  ): Promise<ScorePage>
  /** Yields the keys of all rows of an id, except tombstones. An id can have any number of keys, so they are read page by page. */
  keysOf(projectId: string, id: string, signal?: AbortSignal | undefined): AsyncIterable<readonly ScoreKey[]>
}

/** Time budget of a page in seconds, for all of its queries together. */
const patience = 20
/** A page ends with the row that brings the page to this number of bytes, so the last row can exceed this limit. */
const maxPageBytes = 2 * 1024 * 1024
/**
 * The reader fills a page in rounds, and needs several rounds if many rows are superseded. After this many rounds, the reader returns the
 * page if it has at least one score, even if the page is not full.
 */
const maxRounds = 5
/**
 * As long as the page has no scores, the reader does at most this many rounds in total, because clients would treat an empty page as the
 * last page. Together, these rounds examine some 5,000 rows in a few seconds.
 */
const maxEmptyRounds = 50
/** Number of rows that a round reads. This is the row count of the largest page, so that a round needs no more memory than a page. */
const rowsOfARound = 101
const keysOfAPage = 1_000

const limits: Limits = { rows: 10_000, memoryBytes: 2 ** 29, readBytes: 2 ** 36 }

const positionOf = ({ timestamp_ms, id }: KeyRow): ScorePosition => ({ lastTimestamp: isoOfMillis(timestamp_ms), lastId: id })
const textOf = ({ id, day, name_hash }: RowOf<typeof rowKey>) => JSON.stringify([day, name_hash, id])

const { id, name, timestamp, event_ts } = scores.columns
const keySql = sql`(${rowKey.id.sql}, ${rowKey.day.sql}, ${rowKey.name_hash.sql})`

function pageReader(columnStore: Pick<ColumnStore, 'query'>, projectId: string, query: ScoreQuery, bounds: Bounds) {
  const source = newestIn(scores, { project: projectId, time: rangeOf(query) })

  function keysAfter(limit: number, after: ScorePosition | undefined): Promise<readonly KeyRow[]> {
    const where = [...conditionsOf(query)]
    if (after !== undefined) {
      where.push(
        sql`(${timestamp.sql}, ${id.sql}) < (${timeValue(checkedMicrosOf(after.lastTimestamp), 'Milli')}, ${value('String', after.lastId)})`,
      )
    }
    // If ids are requested, the query finds only the newest row of each id. If the query also found older rows of these ids, these rows
    // would count toward the limit and would then be left out, so a page could be shorter than requested.
    if (query.id !== undefined) where.push(sql`${keySql} IN (${newestKeys(projectId, value('Array(String)', query.id)).sql})`)
    const orderBy = sql`${timestamp.sql} DESC, ${id.sql} DESC, ${event_ts.sql} DESC, name_hash DESC`
    return read(columnStore, select(source, listKey, { where, orderBy, firstOf: sql`${timestamp.sql}, ${id.sql}`, limit }), bounds)
  }

  /** Leaves out a row if a newer row with the same id exists under a different key. */
  async function newest(rows: readonly KeyRow[]): Promise<readonly KeyRow[]> {
    if (rows.length === 0 || query.id !== undefined) return rows
    const found = await read(columnStore, newestKeys(projectId, value('Array(String)', [...new Set(rows.map(row => row.id))])), bounds)
    const keys = new Set(found.map(({ id, last_day: day, last_name: name_hash }) => textOf({ id, day, name_hash })))
    return rows.filter(row => keys.has(textOf(row)))
  }

  async function keys(limit: number, after: ScorePosition | undefined) {
    let found: readonly KeyRow[] = []
    let position = after
    for (let round = 0; round < (found.length === 0 ? maxEmptyRounds : maxRounds); round++) {
      const asked = round === 0 ? limit + 1 : rowsOfARound
      const rows = await keysAfter(asked, position)
      found = [...found, ...(await newest(rows))]
      if (found.length > limit) return { keys: found.slice(0, limit), next: positionOf(found[limit - 1]!) }
      if (rows.length < asked) return { keys: found, next: undefined }
      position = positionOf(rows.at(-1)!)
      if (found.length > 0 && bounds.deadline.isLate()) break
    }
    return { keys: found, next: position }
  }

  const whereKeys = (of: readonly KeyRow[]): readonly Sql[] => {
    const days = value(
      'Array(Date)',
      of.map(key => key.day),
    )
    const nameHashes = value(
      'Array(String)',
      of.map(key => key.name_hash),
    )
    const rowIds = value(
      'Array(String)',
      of.map(key => key.id),
      'rowIds',
    )
    return [
      sql`(${rowKey.day.sql}, ${rowKey.name_hash.sql}, ${id.sql}) IN arrayZip(${days}, ${nameHashes}, ${rowIds})`,
      ...conditionsOf(query),
    ]
  }

  /** Reads as many rows as fit into a page, and counts the examined keys. */
  async function rows(of: readonly KeyRow[]) {
    const asked: readonly ScoreGroup[] = query.fields ?? []
    const sized = await read(columnStore, select(source, { ...listKey, bytes: bytesOf(asked) }, { where: whereKeys(of) }), bounds)
    const sizeOf = placed(sized)
    let looked = 0
    for (let bytes = 0; looked < of.length && bytes < maxPageBytes; looked++) bytes += sizeOf(of[looked]!)?.bytes ?? 0
    const held = of.slice(0, looked)
    const fields = {
      ...{ ...listKey, ...groups.core },
      ...(asked.includes('details') && groups.details),
      ...(asked.includes('annotation') && groups.annotation),
      ...(asked.includes('subject') && groups.subject),
    }
    const rowOf = placed<ScoreRow>(await read(columnStore, select(source, fields, { where: whereKeys(held) }), bounds))
    return { looked, rows: held.flatMap(key => rowOf(key) ?? []) }
  }

  return { keys, rows }
}

/** Returns a function that finds the row of a key. The function returns undefined if the row has changed since the keys were read. */
function placed<R extends KeyRow>(rows: readonly R[]): (key: KeyRow) => R | undefined {
  const byKey = new Map(rows.map(row => [textOf(row), row]))
  return key => {
    const row = byKey.get(textOf(key))
    return row?.timestamp_ms === key.timestamp_ms ? row : undefined
  }
}

export function createScoreReader(columnStore: Pick<ColumnStore, 'query'>): ScoreReader {
  const boundsOf = (comment: string, what: string, signal: AbortSignal | undefined): Bounds => ({
    ...{ limits, comment, signal },
    deadline: deadlineIn(patience, what),
  })
  return {
    async page(projectId, query, limit, after, signal) {
      const reader = pageReader(columnStore, projectId, query, boundsOf('scores.page', 'a page of scores', signal))
      for (let position = after; ; ) {
        const { keys, next } = await reader.keys(limit, position)
        if (keys.length === 0) return { rows: [], next }
        const { looked, rows } = await reader.rows(keys)
        position = looked < keys.length ? positionOf(keys[looked - 1]!) : next
        if (rows.length > 0 || position === undefined) return { rows, next: position }
      }
    },

    async *keysOf(projectId, ofId, signal) {
      const source = newestIn(scores, { project: projectId, time: { everyTime: 'A deletion is of all rows of an id' } })
      const fields = { name, at: timestamp }
      let after: RowOf<typeof fields> | undefined
      for (;;) {
        const where = [sql`${id.sql} = ${value('String', ofId)}`]
        if (after !== undefined) {
          where.push(sql`(${timestamp.sql}, ${name.sql}) > (${timeValue(after.at, 'Milli')}, ${value('String', after.name)})`)
        }
        const order = [timestamp.sql, name.sql]
        const query = select(source, fields, { where, groupBy: order, orderBy: join(order, ', '), limit: keysOfAPage })
        const rows = await read(columnStore, query, boundsOf('scores.keys', 'the keys of a score', signal))
        if (rows.length > 0) yield rows.map(row => ({ name: row.name, timestampUs: Number(row.at) }))
        after = rows.at(-1)
        if (rows.length < keysOfAPage) return
      }
    },
  }
}
