// Scores from the column store. A score's key there has its date and name, so one id may have rows under
// several keys: the newest of them is the score, and where that one is a tombstone there is none.
import type { ColumnStore } from '@svc-server/column-store/port'
import type { ScorePosition } from '../schemas/score-cursor.ts'
import type { ScoreQuery } from '../schemas/score-query.ts'
import { microsOf } from '../schemas/times.ts'
import { conditionsOf } from './conditions.ts'

export interface ScoreKey {
  readonly name: string
  readonly timestampUs: number
}

/** As the query selects it; 64-bit numbers are text. */
export interface ScoreRow {
  readonly id: string
  readonly day: string
  readonly timestamp_ms: string
  readonly created_ms: string
  readonly updated_ms: string
  readonly event_ms: string
  readonly environment: string
  readonly name: string
  readonly value: number
  readonly source: string
  readonly data_type: string
  readonly string_value: string | null
  readonly long_string_value: string
  readonly comment: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly config_id: string | null
  readonly queue_id: string | null
  readonly author_user_id: string | null
  readonly trace_id: string | null
  readonly session_id: string | null
  readonly dataset_run_id: string | null
  readonly observation_id: string | null
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

const columns = `id, toString(toDate(timestamp)) AS day, toUnixTimestamp64Milli(timestamp) AS timestamp_ms, toUnixTimestamp64Milli(created_at) AS created_ms,
  toUnixTimestamp64Milli(updated_at) AS updated_ms, toUnixTimestamp64Milli(event_ts) AS event_ms, environment, name, value, source, data_type,
  string_value, long_string_value, comment, metadata, config_id, queue_id, author_user_id, trace_id, session_id, dataset_run_id, observation_id`

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
const newestKeys = `SELECT id, argMax(day, version) AS last_day, argMax(name, version) AS last_name, argMax(alive, version) AS last_alive FROM (
    SELECT id, day, name, max(final) AS alive, (max(at), 1 - alive, day, name) AS version FROM (
      SELECT id, toDate(timestamp) AS day, name, event_ts AS at, 0 AS final FROM scores
      WHERE project_id = {projectId:String} AND id IN {ids:Array(String)}
      UNION ALL
      SELECT id, toDate(timestamp) AS day, name, event_ts AS at, 1 AS final FROM scores FINAL
      WHERE project_id = {projectId:String} AND id IN {ids:Array(String)})
    GROUP BY id, day, name)
  GROUP BY id`

const positionOf = ({ timestamp_ms, id }: ScoreRow): ScorePosition => ({
  lastTimestamp: new Date(Number(timestamp_ms)).toISOString(),
  lastId: id,
})

export function createScoreReader(columnStore: Pick<ColumnStore, 'query'>): ScoreReader {
  async function rowsAfter(projectId: string, query: ScoreQuery, limit: number, after: ScorePosition | undefined) {
    const { conditions, params } = conditionsOf(query)
    if (after !== undefined) conditions.push('(timestamp, id) < (fromUnixTimestamp64Milli({lastMs:Int64}), {lastId:String})')
    // Of ids that are named only their newest rows, so that each page is full.
    if (query.id !== undefined) {
      conditions.push(`(id, toDate(timestamp), name) IN (SELECT id, last_day, last_name FROM (${newestKeys}) WHERE last_alive = 1)`)
    }
    const last = after && { lastMs: String(Math.floor(microsOf(after.lastTimestamp)! / 1000)), lastId: after.lastId }
    return columnStore.query<ScoreRow>(
      `SELECT ${columns} FROM scores FINAL WHERE ${['project_id = {projectId:String}', ...conditions].join(' AND ')}
       ORDER BY timestamp DESC, id DESC, event_ts DESC, scores.name DESC LIMIT 1 BY timestamp, id LIMIT {limit:UInt32}`,
      { ...params, ...last, ...(query.id && { ids: query.id }), projectId, limit },
    )
  }

  /** Those that are the newest row of their id, under whatever key. */
  async function newest(projectId: string, rows: readonly ScoreRow[]): Promise<readonly ScoreRow[]> {
    if (rows.length === 0) return rows
    const ids = [...new Set(rows.map(({ id }) => id))]
    const newestOf = await columnStore.query<{ readonly id: string; readonly last_day: string; readonly last_name: string }>(
      `SELECT id, toString(last_day) AS last_day, last_name FROM (${newestKeys}) WHERE last_alive = 1`,
      { projectId, ids },
    )
    const keys = new Map(newestOf.map(each => [each.id, `${each.last_day} ${each.last_name}`]))
    return rows.filter(({ id, day, name }) => keys.get(id) === `${day} ${name}`)
  }

  return {
    async page(projectId, query, limit, after) {
      let found: readonly ScoreRow[] = []
      let position = after
      for (let round = 0; round < (found.length === 0 ? maxEmptyRounds : maxRounds); round++) {
        const asked = round === 0 ? limit + 1 : rowsOfARound
        const rows = await rowsAfter(projectId, query, asked, position)
        found = [...found, ...(query.id === undefined ? await newest(projectId, rows) : rows)]
        if (found.length > limit) return { rows: found.slice(0, limit), next: positionOf(found[limit - 1]!) }
        if (rows.length < asked) return { rows: found, next: undefined }
        position = positionOf(rows.at(-1)!)
      }
      return { rows: found, next: position }
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
