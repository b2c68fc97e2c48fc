// The table schema_migrations has the format of v3's migration tool. If an operator returns to v3, v3 therefore finds the correct state.
// Each change is a row, and the row with the highest sequence is current.
import type { Dialect } from '../dialect.ts'
import type { ColumnStorePort } from './port.ts'

export interface SharedVersion {
  /** Undefined if no migration was ever applied. */
  readonly version: number | undefined
  /** True if a migration to this version was begun and not finished. */
  readonly dirty: boolean
}

export const versionTable = 'schema_migrations'

export const toolColumns: readonly string[] = ['version', 'dirty', 'sequence']

export const createVersionTable = (
  dialect: Dialect,
): string => `CREATE TABLE IF NOT EXISTS ${dialect.table(versionTable)}${dialect.onCluster} (
  version Int64,
  dirty UInt8,
  sequence UInt64
)
ENGINE = ${dialect.engine('MergeTree')}
ORDER BY sequence`

export async function readVersion(port: ColumnStorePort, dialect: Dialect): Promise<SharedVersion> {
  const [row] = await port.query<{ version: number | string; dirty: number }>(
    `SELECT version, dirty FROM ${dialect.table(versionTable)} ORDER BY sequence DESC LIMIT 1`,
  )
  // After v3's tool has reverted its first migration, the tool records the version -1.
  if (row === undefined || Number(row.version) < 0) return { version: undefined, dirty: row?.dirty === 1 }
  return { version: Number(row.version), dirty: row.dirty === 1 }
}

export async function writeVersion(port: ColumnStorePort, dialect: Dialect, version: number, dirty: boolean): Promise<void> {
  // All processes share the engine's clock. v3's tool uses the clock of its own process instead.
  const values = `(${version}, ${dirty ? 1 : 0}, toUnixTimestamp64Nano(now64(9)))`
  await port.command(`INSERT INTO ${dialect.table(versionTable)} (version, dirty, sequence) SETTINGS async_insert = 0 VALUES ${values}`)
}
