// Finds a trace's root observation, where the web app shows the trace's scores and comments (contract §2.2).
import { e, eventsCore } from '../fields/events.ts'
import { type Bounds, deadlineIn } from '../sql/scope.ts'
import { newestIn, type Reads, read, select } from '../sql/select.ts'
import { sql } from '../sql/sql.ts'
import { ofTrace, traceScope } from './head.ts'
import type { TraceOptions } from './tree.ts'

const limits = { rows: 1, memoryBytes: 2 ** 29, readBytes: 2 ** 37 }

/**
 * Returns the earliest observation without a parent. If there is none, returns the earliest observation that is marked as root (contract
 * §10.15). Returns undefined if no root is stored yet. Throws a `column_store_*` error, or the abort signal's reason.
 */
export async function rootOfTrace(columnStore: Reads, { projectId, traceId, signal }: TraceOptions): Promise<string | undefined> {
  const bounds: Bounds = { limits, deadline: deadlineIn(20, 'a lookup of a root'), signal, comment: 'trace.root' }
  const hasNoParent = sql`${e.parent_span_id.sql} = ''`
  const where = [ofTrace(traceId), sql`(${hasNoParent} OR ${e.is_app_root.sql})`]
  const orderBy = sql`${hasNoParent} DESC, ${e.start_time.sql}, ${e.span_id.sql}`
  const query = select(newestIn(eventsCore, traceScope(projectId)), { id: e.span_id }, { where, orderBy, limit: 1 })
  return (await read(columnStore, query, bounds))[0]?.id
}
