// GET /api/public/sessions and /sessions/{sessionId} (contract §20.5). Sessions are derived from traces and joined with the rows that v3
// left in PostgreSQL. If a session has no such row, its creation time and its environment come from the trace that was stored first.
import { field, numberField, type RowOf, textField } from '../sql/field.ts'
import { newestIn, outputs, type Reads, read, rowsOf, select } from '../sql/select.ts'
import { type Sql, sql, value } from '../sql/sql.ts'
import { checkedMicrosOf, isoOfMillis } from '../times.ts'
import { type Asked, boundsOf } from './bounds.ts'
import { wellFormed } from './conditions.ts'
import { keysOfPage, type PageAsked, type PageMeta } from './page.ts'
import { t, traces } from './tables.ts'
import { type StoredTrace, tracesOfSession } from './traces.ts'

export interface SessionsQuery extends PageAsked {
  /** ISO 8601, checked. */
  readonly fromTimestamp?: string | undefined
  readonly toTimestamp?: string | undefined
  readonly environment?: readonly string[] | undefined
}

interface Session {
  readonly id: string
  readonly createdAt: string
  readonly projectId: string
  readonly environment: string
}

interface SessionRow {
  readonly id: string
  readonly createdAt: Date
  readonly environment: string
}

/** Reads the rows that v3 left for these sessions of the project. Sessions without a row are omitted. */
type ReadSessionRows = (ids: readonly string[]) => Promise<readonly SessionRow[]>

export interface SessionsPage {
  readonly data: readonly Session[]
  readonly meta: PageMeta
}

export interface FoundSession {
  readonly session: Session
  readonly traces: readonly StoredTrace[]
  /** Size of the long fields. */
  readonly bytes: number
}

const fields = {
  session: field(t.session_id.sql, String),
  created_us: numberField(sql`min(toUnixTimestamp64Milli(${t.created_at.sql})) * 1000`),
  environment: textField(sql`argMin(${t.environment.sql}, ${t.created_at.sql})`),
}

function sessionsOf(project: string, where: readonly Sql[]) {
  const source = newestIn(traces, { project, time: { everyTime: 'Traces of a session may have any time' } })
  return select(source, fields, { where, groupBy: [t.session_id.sql] })
}

const viewOfRow = ({ id, createdAt, environment }: SessionRow, projectId: string): Session => ({
  ...{ id, createdAt: createdAt.toISOString(), projectId, environment },
})

const sessionView = ({ session, created_us, environment }: RowOf<typeof fields>, projectId: string): Session => ({
  ...{ id: session, createdAt: isoOfMillis(created_us / 1000), projectId, environment },
})

/**
 * Returns a page of the sessions that have traces, newest first. The query sorts and filters sessions by their traces, because the column
 * store cannot read v3's session rows in the relational store. Throws a `column_store_*` or `relational_*` error, or the abort signal's
 * reason.
 */
export async function listSessions(
  columnStore: Reads,
  { projectId, query, signal }: Asked<SessionsQuery>,
  readRows: ReadSessionRows,
): Promise<SessionsPage> {
  const { fromTimestamp: from, toTimestamp: to, environment } = query
  const grouped = sessionsOf(projectId, [sql`ifNull(${t.session_id.sql}, '') != ''`])
  const key = outputs(grouped)
  const where = [
    ...(from === undefined ? [] : [sql`${key.created_us.sql} >= ${value('Int64', checkedMicrosOf(from))}`]),
    ...(to === undefined ? [] : [sql`${key.created_us.sql} < ${value('Int64', checkedMicrosOf(to))}`]),
    ...(environment === undefined ? [] : [sql`${key.environment.sql} IN ${value('Array(String)', wellFormed(environment))}`]),
  ]
  const orderBy = sql`${key.created_us.sql} DESC, ${key.session.sql}`
  const bounds = boundsOf('legacy.sessions', 'a page of sessions', signal)
  const { keys, meta } = await keysOfPage(columnStore, { source: rowsOf(grouped), where, key, orderBy }, query, bounds)
  const stored = await readRows(keys.map(({ session }) => session))
  const views = new Map(stored.map(row => [row.id, viewOfRow(row, projectId)]))
  return { data: keys.map(row => views.get(row.session) ?? sessionView(row, projectId)), meta }
}

/**
 * Returns undefined if no trace names the session, and v3 left no row of the session. Throws `response_too_large`, a `column_store_*` or
 * `relational_*` error, or the abort signal's reason.
 */
export async function findSession(
  columnStore: Reads,
  { projectId, query: given, signal }: Asked<string>,
  readRows: ReadSessionRows,
): Promise<FoundSession | undefined> {
  const id = given.toWellFormed()
  if (id === '') return undefined
  const bounds = boundsOf('legacy.session', 'a session', signal)
  const isOfIt = sql`${t.session_id.sql} = ${value('String', id)}`
  const [[stored], [derived]] = await Promise.all([readRows([id]), read(columnStore, sessionsOf(projectId, [isOfIt]), bounds)])
  const session = stored ? viewOfRow(stored, projectId) : derived && sessionView(derived, projectId)
  if (session === undefined || derived === undefined) return session && { session, traces: [], bytes: 0 }
  const { rows, bytes } = await tracesOfSession(columnStore, projectId, id, bounds)
  return { session, traces: rows, bytes }
}
