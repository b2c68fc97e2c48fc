// Reads values that the web app's table loads on demand.
import { e, eventsCore } from '../fields/events.ts'
import { entry } from '../fields/expressions.ts'
import type { Leaf } from '../fields/metadata.ts'
import { newestScores, subject } from '../scores/named.ts'
import { scores } from '../scores/table.ts'
import { type Decoder, number, text } from '../sql/decode.ts'
import { field, millis, numberField } from '../sql/field.ts'
import { type Bounds, deadlineIn, type Limits } from '../sql/scope.ts'
import { newestIn, type Reads, read, select } from '../sql/select.ts'
import { sql, value } from '../sql/sql.ts'

export interface MoreOptions {
  readonly projectId: string
  readonly signal: AbortSignal | undefined
  readonly rows: readonly { readonly traceId: string; readonly id: string }[]
  readonly metadata: readonly string[]
  readonly scores: readonly string[]
  readonly sumsOf: readonly string[]
}

interface TraceSums {
  readonly traceId: string
  readonly observations: number
  readonly cost: number
  readonly tokens: number
}

interface MoreOfRow {
  readonly traceId: string
  readonly id: string
  /** Maps each name of the metadata to the beginning of its value. */
  readonly metadata: Readonly<Record<string, Leaf>>
}

interface ScoreOfRow {
  readonly traceId: string
  /** Null for a score of the trace. */
  readonly observationId: string | null
  readonly name: string
  readonly value: number | string
}

const limits: Limits = { rows: 20_000, memoryBytes: 2 ** 30, readBytes: 2 ** 37 }
const everyTime = { everyTime: 'Observations of a trace may start at any time' }
const texts = (all: readonly string[]) => value('Array(String)', [...new Set(all)])
/** Returns one entry for each requested name, in the order of the names. The entry is null if the row has no such leaf. */
const leaves: Decoder<readonly (Leaf | null)[]> = json =>
  (Array.isArray(json) ? json : []).map(([stored, type]) => (type === null ? null : { text: text(stored), type: Number(type) }))

/** Throws a `column_store_*` error, or the abort signal's reason. */
export async function readMore(columnStore: Reads, { projectId: project, rows, signal, ...wanted }: MoreOptions) {
  const bounds: Bounds = { limits, deadline: deadlineIn(20, 'values of rows'), signal, comment: 'observations.more' }
  const events = newestIn(eventsCore, { project, time: everyTime })
  const traces = texts(rows.map(({ traceId }) => traceId))
  const names = [...new Set(wanted.metadata)]

  async function sums(): Promise<readonly TraceSums[]> {
    if (wanted.sumsOf.length === 0) return []
    const fields = {
      traceId: e.trace_id,
      observations: numberField(sql`count()`),
      cost: field(sql`ifNull(sum(${entry(e.cost_details.sql, 'total')}), 0)`, number),
      tokens: numberField(sql`ifNull(sum(${entry(e.usage_details.sql, 'total')}), 0)`),
    }
    const clauses = { where: [sql`${e.trace_id.sql} IN ${texts(wanted.sumsOf)}`], groupBy: [e.trace_id.sql] }
    return read(columnStore, select(events, fields, clauses), bounds)
  }

  async function metadata(): Promise<readonly MoreOfRow[]> {
    if (names.length === 0) return []
    const at = sql`arrayLastIndex(n -> n = k, ${e.metadata_names.sql})`
    const leaf = sql`(${e.metadata_values.sql}[${at}], if(${at} = 0, NULL, ${e.metadata_types.sql}[${at}]))`
    const last = sql`arrayMap(k -> ${leaf}, ${texts(names)})`
    const fields = { traceId: e.trace_id, id: e.span_id, leaves: field(last, leaves) }
    const where = [sql`${e.trace_id.sql} IN ${traces}`, sql`${e.span_id.sql} IN ${texts(rows.map(({ id }) => id))}`]
    const found = await read(columnStore, select(events, fields, { where }), bounds)
    return found.map(({ traceId, id, leaves: of }) => ({
      ...{ traceId, id },
      metadata: Object.fromEntries(names.flatMap((name, at) => (of[at] === null || of[at] === undefined ? [] : [[name, of[at]]]))),
    }))
  }

  async function scoresOf(): Promise<readonly ScoreOfRow[]> {
    if (wanted.scores.length === 0) return []
    const { trace_id, name } = scores.columns
    const where = [sql`${trace_id.sql} IN ${traces}`, sql`${name.sql} IN ${texts(wanted.scores)}`]
    const fields = {
      ...subject,
      name,
      number: scores.columns.value,
      text: scores.columns.string_value,
      at: millis(scores.columns.timestamp),
    }
    const found = await read(columnStore, select(newestScores(project, everyTime, where), fields), bounds)
    // Of several scores with the same name, only the newest is shown.
    const newest = new Map(
      found.toSorted((a, b) => a.at - b.at).map(each => [JSON.stringify([each.trace, each.observation, each.name]), each]),
    )
    return [...newest.values()].map(each => ({
      ...{ traceId: each.trace, observationId: each.observation === '' ? null : each.observation, name: each.name },
      value: each.text === null || each.text === '' ? each.number : each.text,
    }))
  }

  const [traceSums, ofRows, ofScores] = await Promise.all([sums(), metadata(), scoresOf()])
  return { sums: traceSums, rows: ofRows, scores: ofScores }
}
