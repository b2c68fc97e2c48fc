import type { ColumnStoreOptions, RowUpdate } from './port.ts'

export interface UpdateStatement {
  readonly sql: string
  readonly settings: Readonly<Record<string, string>>
}

export function updateStatement(
  { table, set, where }: RowUpdate,
  { lightweightUpdates = false, replicated = false }: Pick<ColumnStoreOptions, 'lightweightUpdates' | 'replicated'>,
): UpdateStatement {
  if (lightweightUpdates) return { sql: `UPDATE ${table} SET ${set} WHERE ${where}`, settings: { enable_lightweight_update: '1' } }
  // 1: until this server has applied the mutation; 2: until all replicas have.
  return { sql: `ALTER TABLE ${table} UPDATE ${set} WHERE ${where}`, settings: { mutations_sync: replicated ? '2' : '1' } }
}
