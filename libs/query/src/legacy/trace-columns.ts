// Columns by which traces can be filtered (contract §20.2).
import type { Condition } from '../filter/condition.ts'
import { newestIn, type Source } from '../sql/select.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { column, columnsOf, legacySql, metadataColumn, rangeOf, scoreColumns } from './conditions.ts'
import { orEmpty, t, traces } from './tables.ts'
import { totals } from './totals.ts'

const sum = (id: string, name: Sql, ...also: readonly string[]) => column('number', id, sql`m.${name}`, ...also)
const level = sql`multiIf(m.errors > 0, 'ERROR', m.warnings > 0, 'WARNING', m.defaults > 0, 'DEFAULT', m.debugs > 0, 'DEBUG', '')`

const ofObservations = [
  column('number', 'latency', sql`(m.latency_ms / 1000)`, 'Latency (s)'),
  sum('inputTokens', sql`input_tokens`, 'Input Tokens'),
  sum('outputTokens', sql`output_tokens`, 'Output Tokens'),
  sum('totalTokens', sql`total_tokens`, 'Total Tokens', 'tokens', 'Tokens'),
  sum('inputCost', sql`input_cost`, 'Input Cost ($)'),
  sum('outputCost', sql`output_cost`, 'Output Cost ($)'),
  sum('totalCost', sql`total_cost`, 'Total Cost ($)'),
  column('text', 'level', level, 'Level'),
  sum('warningCount', sql`warnings`, 'Warning Level Count'),
  sum('errorCount', sql`errors`, 'Error Level Count'),
  sum('defaultCount', sql`defaults`, 'Default Level Count'),
  sum('debugCount', sql`debugs`, 'Debug Level Count'),
]
const idsOfObservations: ReadonlySet<string> = new Set(ofObservations.map(({ id }) => id))

export const traceColumns = columnsOf([
  column('text', 'id', t.id.sql, 'ID'),
  column('text', 'name', t.name.sql, 'Name'),
  column('time', 'timestamp', t.timestamp.sql, 'Timestamp'),
  column('text', 'userId', orEmpty(t.user_id), 'User ID', 'User'),
  column('text', 'sessionId', orEmpty(t.session_id), 'Session ID', 'Session'),
  column('text', 'environment', t.environment.sql, 'Environment'),
  column('text', 'version', orEmpty(t.version), 'Version'),
  column('text', 'release', orEmpty(t.release), 'Release'),
  column('list', 'tags', t.tags.sql, 'Tags', 'traceTags', 'Trace Tags'),
  column('boolean', 'bookmarked', t.bookmarked.sql, 'Bookmarked', '⭐️'),
  metadataColumn,
  ...ofObservations,
  ...scoreColumns,
])

export function tracesWhere(
  project: string,
  conditions: readonly Condition[],
): { readonly source: Source; readonly where: readonly Sql[] } {
  const { from, conditions: scoped } = newestIn(traces, { project, time: rangeOf(conditions, 'timestamp') })
  const isJoined = conditions.some(({ field: { id } }) => idsOfObservations.has(id))
  return {
    source: { from: isJoined ? sql`${from} LEFT JOIN (${totals(project).sql}) AS m ON m.trace = ${t.id.sql}` : from, conditions: scoped },
    where: conditions.map(condition => legacySql(condition, { project, metadata: t.metadata.sql, trace: t.id.sql })),
  }
}
