// Reads sums over all observations of a trace, because the tree of a trace can lack some of the observations.
import { e, eventsCore } from '../fields/events.ts'
import { tokens, traceName } from '../fields/expressions.ts'
import { type Decoder, nullable, number, text, time } from '../sql/decode.ts'
import { type Field, field, numberField, textField } from '../sql/field.ts'
import type { Bounds, Scope } from '../sql/scope.ts'
import { newestIn, type Reads, read, select } from '../sql/select.ts'
import { type Sql, sql, value } from '../sql/sql.ts'

export const ofTrace = (traceId: string): Sql => sql`${e.trace_id.sql} = ${value('String', traceId, 'traceId')}`

export const traceScope = (project: string): Scope => ({ project, time: { everyTime: 'The id of a trace does not contain its time' } })

/** Selects the column's value from the earliest row in which the column is not empty. */
const earliest = (column: Field<string>): Field<string> => textField(sql`argMinIf(${column.sql}, ${e.start_time.sql}, ${column.sql} != '')`)

const texts: Decoder<readonly string[]> = json => (Array.isArray(json) ? json.map(text) : [])

const headFields = {
  observations: numberField(sql`count()`),
  errors: numberField(sql`countIf(${e.level.sql} = 'ERROR')`),
  running: numberField(sql`countIf(${e.end_time.sql} IS NULL AND ${e.type.sql} != 'EVENT')`),
  startUs: field(sql`toUnixTimestamp64Micro(min(${e.start_time.sql}))`, time),
  endUs: field(sql`toUnixTimestamp64Micro(max(${e.end_time.sql}))`, nullable(time)),
  lastStartUs: field(sql`toUnixTimestamp64Micro(max(${e.start_time.sql}))`, time),
  cost: field(sql`sumIf(${e.cost_details.sql}['total'], mapContains(${e.cost_details.sql}, 'total'))`, number),
  inputTokens: numberField(sql`sum(${tokens('input')})`),
  outputTokens: numberField(sql`sum(${tokens('output')})`),
  name: textField(sql`argMinIf(${traceName}, ${e.start_time.sql}, ${traceName} != '')`),
  userId: earliest(e.user_id),
  sessionId: earliest(e.session_id),
  release: earliest(e.release),
  version: earliest(e.version),
  environment: earliest(e.environment),
  tags: field(sql`arraySort(groupUniqArrayArray(${e.tags.sql}))`, texts),
  bookmarked: field(sql`max(${e.bookmarked.sql})`, json => json === true || Number(json) === 1),
  isPublic: field(sql`max(${e.public.sql})`, json => json === true || Number(json) === 1),
}

export interface TraceHead {
  readonly id: string
  readonly observations: number
  readonly errors: number
  /** Number of observations that have not ended. */
  readonly running: number
  /** Microseconds since the epoch. */
  readonly startUs: number
  /** The latest start or end of an observation. */
  readonly endUs: number
  readonly cost: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly name: string | null
  readonly userId: string | null
  readonly sessionId: string | null
  readonly release: string | null
  readonly version: string | null
  readonly environment: string | null
  readonly tags: readonly string[]
  readonly bookmarked: boolean
  readonly public: boolean
}

/**
 * Returns sums and other values over all observations of the trace, and the range of the observations' start times. Returns undefined if
 * the project has no such trace. Throws a `column_store_*` error, or the abort signal's reason.
 */
export async function readTraceHead(
  columnStore: Reads,
  { projectId, traceId }: { readonly projectId: string; readonly traceId: string },
  bounds: Bounds,
): Promise<{ readonly trace: TraceHead; readonly range: { readonly from: bigint; readonly to: bigint } } | undefined> {
  const query = select(newestIn(eventsCore, traceScope(projectId)), headFields, { where: [ofTrace(traceId)] })
  const [head] = await read(columnStore, query, bounds)
  if (head === undefined || head.observations === 0) return undefined
  const { startUs, endUs, lastStartUs, isPublic, ...rest } = head
  const trace = {
    ...{ ...rest, id: traceId, public: isPublic },
    ...{ startUs: Number(startUs), endUs: Number(endUs === null || endUs < lastStartUs ? lastStartUs : endUs) },
    ...{ name: rest.name || null, userId: rest.userId || null, sessionId: rest.sessionId || null },
    ...{ release: rest.release || null, version: rest.version || null, environment: rest.environment || null },
  }
  return { trace, range: { from: startUs, to: lastStartUs + 1n } }
}
