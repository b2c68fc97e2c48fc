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
  // Waits until this server (1) or all replicas (2) have applied the mutation.
  return { sql: `ALTER TABLE ${table} UPDATE ${set} WHERE ${where}`, settings: { mutations_sync: replicated ? '2' : '1' } }
}
