// A column store that records its queries as spans (OpenTelemetry's database conventions). Spans contain no statements, because statements
// contain ids.
import type { ColumnStore } from '@svc-server/column-store/port'
import { isTracing, SpanKind, traced } from '@svc-server/tracing'

export function tracedColumnStore(store: ColumnStore): ColumnStore {
  if (!isTracing()) return store
  const said = <T>(operation: string, table: string | undefined, work: () => Promise<T>): Promise<T> => {
    const attributes = { 'db.system.name': 'clickhouse', 'db.namespace': store.database, 'db.operation.name': operation }
    return traced(
      table === undefined ? operation : `${operation} ${table}`,
      { kind: SpanKind.CLIENT, attributes: { ...attributes, ...(table !== undefined && { 'db.collection.name': table }) } },
      work,
    )
  }
  return {
    ...store,
    insert: request => said('INSERT', request.table, () => store.insert(request)),
    query: (sql, params, request) => said('SELECT', undefined, () => store.query(sql, params, request)),
    queryBytes: (sql, format, params, request) => said('SELECT', undefined, () => store.queryBytes(sql, format, params, request)),
    command: (sql, params) => said('COMMAND', undefined, () => store.command(sql, params)),
    update: update => said('UPDATE', update.table, () => store.update(update)),
  }
}
