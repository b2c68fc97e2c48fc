import type { ColumnStore } from '@svc-server/column-store/port'

/** A table can be missing before the first migration. Rejects with column_store_*. */
export const hasTable = async ({ query }: Pick<ColumnStore, 'query'>, table: string): Promise<boolean> =>
  (await query('SELECT 1 FROM system.tables WHERE database = currentDatabase() AND name = {table:String}', { table })).length > 0
