// Scores from the column store. A score's key there has its date and name, so one id may have rows under
// several keys: the newest of them is the score, and where that one is a tombstone there is none.
import type { ColumnStore } from '@svc-server/column-store/port'
import { AppError } from '@svc-server/errors'
import type { ScorePosition } from '../schemas/score-cursor.ts'
import type { ScoreQuery } from '../schemas/score-query.ts'
import { microsOf } from '../schemas/times.ts'
import { conditionsOf } from './conditions.ts'

export interface ScoreKey {
  readonly name: string
  readonly timestampUs: number
}

/** As the query selects it; 64-bit numbers are text. Of groups that were not asked for nothing is there. */
export interface ScoreRow extends KeyRow {
  readonly name: string
  readonly created_ms: string
  readonly updated_ms: string
  readonly environment: string
  readonly value: number
  readonly source: string
  readonly data_type: string
  readonly string_value: string | null
  readonly long_string_value: string
  readonly comment?: string | null
  /** JSON: names and texts. */
  readonly metadata?: string
  readonly config_id?: string | null
  readonly queue_id?: string | null
  readonly author_user_id?: string | null
  readonly trace_id?: string | null
  readonly session_id?: string | null
  readonly dataset_run_id?: string | null
  readonly observation_id?: string | null
}

/** Which row it is, and where it stands in the list. Of its name a hash: rows from before names had an end may have long ones. */
interface KeyRow {
  readonly id: string
  readonly day: string
  readonly name_hash: string
  readonly timestamp_ms: string
}

interface SizedKey extends KeyRow {
  readonly bytes: string
}

interface ScorePage {
  readonly rows: readonly ScoreRow[]
  /** Where the next page begins; undefined on the last one. */
  readonly next: ScorePosition | undefined
}

export interface ScoreReader {
  page(projectId: string, query: ScoreQuery, limit: number, after: ScorePosition | undefined): Promise<ScorePage>
  /** Keys of all rows of an id that are no tombstones, page by page: as many as somebody has made. */
  keysOf(projectId: string, id: string): AsyncIterable<readonly ScoreKey[]>
}

const nameHash = 'hex(sipHash128(scores.name))'
const keyColumns = `id, toString(toDate(timestamp)) AS day, ${nameHash} AS name_hash, toUnixTimestamp64Milli(timestamp) AS timestamp_ms`

type Group = NonNullable<ScoreQuery['fields']>[number]

/** Beside the key. */
const columnsOf: Readonly<Record<Group, string>> = {
  core: `name, toUnixTimestamp64Milli(created_at) AS created_ms, toUnixTimestamp64Milli(updated_at) AS updated_ms, environment, value, source, data_type,
    string_value, long_string_value`,
  // As text: names that are whole numbers would make large objects.
  details: 'comment, toJSONString(scores.metadata) AS metadata, config_id',
  annotation: 'author_user_id, queue_id',
  subject: 'trace_id, session_id, dataset_run_id, observation_id',
}

/** What a row takes in an answer, of what may be long. */
const bytesOf = (groups: readonly Group[]) =>
  ['name', 'string_value', 'long_string_value', ...(groups.includes('details') ? ['comment', 'metadata'] : [])]
    .map(column => `ifNull(length(toJSONString(scores.${column})), 0)`)
    .join(' + ')

/** Of a page, however many queries it takes, in seconds: nobody waits for it longer, and what goes on holds up others. */
const patience = 20

/** Of a page's rows together, but for the last of them; where there are more, the page ends before them. */
const maxPageBytes = 2 * 1024 * 1024

/**
 * Rows that are no longer the score make more rounds: of a page that has a score so many at most, the next page
 * goes on from there.
 */
const maxRounds = 5
/**
 * Of a page that has none yet, which clients take for the last one: some 5,000 rows, a few seconds. More than
 * that in a row are old only where somebody has moved one id over thousands of days or names.
 */
const maxEmptyRounds = 50
/** Of a round after the first: the largest page, so that no round holds more than it. */
const rowsOfARound = 101
/** Of one id. */
const keysOfAPage = 1_000

/**
 * The key of each id's newest row, and whether that one is a score. Of one key FINAL says which row counts, as
 * merges will; it leaves tombstones out, which the rows themselves then tell of. Of several keys with one
 * version a tombstone counts, else the last in order: the same one before and after every merge.
 */
const newestKeys = `SELECT id, argMax(day, version) AS last_day, argMax(name_hash, version) AS last_name, argMax(alive, version) AS last_alive FROM (
    SELECT id, day, name_hash, max(final) AS alive, (max(at), 1 - alive, day, name_hash) AS version FROM (
      SELECT id, toDate(timestamp) AS day, ${nameHash} AS name_hash, event_ts AS at, 0 AS final FROM scores
      WHERE project_id = {projectId:String} AND id IN {ids:Array(String)}
      UNION ALL
      SELECT id, toDate(timestamp) AS day, ${nameHash} AS name_hash, event_ts AS at, 1 AS final FROM scores FINAL
      WHERE project_id = {projectId:String} AND id IN {ids:Array(String)})
    GROUP BY id, day, name_hash)
  GROUP BY id`

const positionOf = ({ timestamp_ms, id }: KeyRow): ScorePosition => ({
  lastTimestamp: new Date(Number(timestamp_ms)).toISOString(),
  lastId: id,
})

const textOf = ({ id, day, name_hash }: Omit<KeyRow, 'timestamp_ms'>) => JSON.stringify([day, name_hash, id])

type Ask = ColumnStore['query']

interface Asking {
  readonly ask: Ask
  /** What was found by now is to be the page: its rows take time, too. */
  isLate(): boolean
}

/** Asks until the time of a page is over. */
function askInTime(columnStore: Pick<ColumnStore, 'query'>): Asking {
  const end = performance.now() + patience * 1000
  const secondsLeft = () => (end - performance.now()) / 1000
  return {
    isLate: () => secondsLeft() < patience / 2,
    ask(sql, params) {
      const left = Math.ceil(secondsLeft())
      if (left <= 0) throw new AppError('column_store_overloaded', `Query: a page of scores took longer than ${patience} seconds`)
      return columnStore.query(`${sql} SETTINGS max_execution_time = ${left}`, params)
    },
  }
}

export function createScoreReader(columnStore: Pick<ColumnStore, 'query'>): ScoreReader {
  async function keysAfter(ask: Ask, projectId: string, query: ScoreQuery, limit: number, after: ScorePosition | undefined) {
    const { conditions, params } = conditionsOf(query)
    if (after !== undefined) conditions.push('(timestamp, id) < (fromUnixTimestamp64Milli({lastMs:Int64}), {lastId:String})')
    // Of ids that are named only their newest rows, so that each page is full.
    if (query.id !== undefined) {
      conditions.push(`(id, toDate(timestamp), ${nameHash}) IN (SELECT id, last_day, last_name FROM (${newestKeys}) WHERE last_alive = 1)`)
    }
    const last = after && { lastMs: String(Math.floor(microsOf(after.lastTimestamp)! / 1000)), lastId: after.lastId }
    return ask<KeyRow>(
      `SELECT ${keyColumns} FROM scores FINAL WHERE ${['project_id = {projectId:String}', ...conditions].join(' AND ')}
       ORDER BY timestamp DESC, id DESC, event_ts DESC, name_hash DESC LIMIT 1 BY timestamp, id LIMIT {limit:UInt32}`,
      { ...params, ...last, ...(query.id && { ids: query.id }), projectId, limit },
    )
  }

  /** Those that are the newest row of their id, under whatever key. */
  async function newest(ask: Ask, projectId: string, rows: readonly KeyRow[]): Promise<readonly KeyRow[]> {
    if (rows.length === 0) return rows
    const ids = [...new Set(rows.map(({ id }) => id))]
    const newestOf = await ask<{ readonly id: string; readonly last_day: string; readonly last_name: string }>(
      `SELECT id, toString(last_day) AS last_day, last_name FROM (${newestKeys}) WHERE last_alive = 1`,
      { projectId, ids },
    )
    const keys = new Set(newestOf.map(({ id, last_day: day, last_name }) => textOf({ id, day, name_hash: last_name })))
    return rows.filter(row => keys.has(textOf(row)))
  }

  async function pageOfKeys(
    { ask, isLate }: Asking,
    projectId: string,
    query: ScoreQuery,
    limit: number,
    after: ScorePosition | undefined,
  ) {
    let found: readonly KeyRow[] = []
    let position = after
    for (let round = 0; round < (found.length === 0 ? maxEmptyRounds : maxRounds); round++) {
      const asked = round === 0 ? limit + 1 : rowsOfARound
      const rows = await keysAfter(ask, projectId, query, asked, position)
      found = [...found, ...(query.id === undefined ? await newest(ask, projectId, rows) : rows)]
      if (found.length > limit) return { keys: found.slice(0, limit), next: positionOf(found[limit - 1]!) }
      if (rows.length < asked) return { keys: found, next: undefined }
      position = positionOf(rows.at(-1)!)
      if (found.length > 0 && isLate()) break
    }
    return { keys: found, next: position }
  }

  /** In their order, as many of them as a page holds, and how many keys were looked at. Those that have changed meanwhile and no longer belong there are left out. */
  async function rowsOf(ask: Ask, projectId: string, query: ScoreQuery, keys: readonly KeyRow[]) {
    const groups = [...new Set<Group>(['core', ...(query.fields ?? [])])]
    const { conditions, params } = conditionsOf(query)
    const where = `WHERE project_id = {projectId:String} AND
      (toDate(timestamp), ${nameHash}, id) IN arrayZip({days:Array(Date)}, {nameHashes:Array(String)}, {rowIds:Array(String)})
      ${conditions.map(condition => `AND ${condition}`).join(' ')}`
    async function rowsBy<Row extends KeyRow>(
      columns: readonly string[],
      of: readonly KeyRow[],
    ): Promise<(key: KeyRow) => Row | undefined> {
      const listed = { days: of.map(({ day }) => day), nameHashes: of.map(key => key.name_hash), rowIds: of.map(({ id }) => id) }
      const rows = await ask<Row>(`SELECT ${[keyColumns, ...columns].join(', ')} FROM scores FINAL ${where}`, {
        ...{ ...params, ...listed, projectId },
      })
      const byKey = new Map(rows.map(row => [textOf(row), row]))
      return key => {
        const row = byKey.get(textOf(key))
        return row?.timestamp_ms === key.timestamp_ms ? row : undefined
      }
    }

    const sizeOf = await rowsBy<SizedKey>([`${bytesOf(groups)} AS bytes`], keys)
    let looked = 0
    for (let bytes = 0; looked < keys.length && bytes < maxPageBytes; looked++) bytes += Number(sizeOf(keys[looked]!)?.bytes ?? 0)
    const held = keys.slice(0, looked)
    const rowOf = await rowsBy<ScoreRow>(
      groups.map(group => columnsOf[group]),
      held,
    )
    return { looked, rows: held.flatMap(key => rowOf(key) ?? []) }
  }

  return {
    async page(projectId, query, limit, after) {
      const asking = askInTime(columnStore)
      for (let position = after; ; ) {
        const { keys, next } = await pageOfKeys(asking, projectId, query, limit, position)
        if (keys.length === 0) return { rows: [], next }
        const { looked, rows } = await rowsOf(asking.ask, projectId, query, keys)
        position = looked < keys.length ? positionOf(keys[looked - 1]!) : next
        if (rows.length > 0 || position === undefined) return { rows, next: position }
      }
    },

    async *keysOf(projectId, id) {
      let after: ScoreKey | undefined
      for (;;) {
        const rows = await columnStore.query<{ readonly name: string; readonly timestamp_ms: string }>(
          `SELECT DISTINCT name, toUnixTimestamp64Milli(timestamp) AS timestamp_ms FROM scores FINAL
           WHERE project_id = {projectId:String} AND id = {id:String} AND (timestamp_ms, name) > ({afterMs:Int64}, {afterName:String})
           ORDER BY timestamp_ms, name LIMIT {limit:UInt32}`,
          {
            ...{ projectId, id, limit: keysOfAPage },
            ...{ afterMs: after === undefined ? '-1' : String(after.timestampUs / 1000), afterName: after?.name ?? '' },
          },
        )
        const keys = rows.map(({ name, timestamp_ms }) => ({ name, timestampUs: Number(timestamp_ms) * 1000 }))
        if (keys.length > 0) yield keys
        after = keys.at(-1)
        if (keys.length < keysOfAPage) return
      }
    },
  }
}
