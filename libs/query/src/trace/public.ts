import { e, eventsCore } from '../fields/events.ts'
import { numberField } from '../sql/field.ts'
import { deadlineIn } from '../sql/scope.ts'
import { newestIn, type Reads, read, select } from '../sql/select.ts'
import { sql } from '../sql/sql.ts'
import { ofTrace, traceScope } from './head.ts'
import type { TraceOptions } from './tree.ts'

const limits = { rows: 1, memoryBytes: 2 ** 29, readBytes: 2 ** 37 }

/** Throws a `column_store_*` error, or the abort signal's reason. */
export async function isPublicTrace(columnStore: Reads, { projectId, traceId, signal }: TraceOptions): Promise<boolean> {
  const bounds = { limits, deadline: deadlineIn(20, 'a lookup of a trace'), signal, comment: 'trace.public' }
  const where = [ofTrace(traceId), sql`${e.public.sql}`]
  const query = select(newestIn(eventsCore, traceScope(projectId)), { found: numberField(sql`1`) }, { where, limit: 1 })
  return (await read(columnStore, query, bounds)).length > 0
}
