// schema_migrations as v3's migration tool keeps it: one row per change, and the row with the highest sequence is the current one. This
// code reads and writes the table as that tool does, so that v3's images and the tool find the true state after a return to v3.
import type { Dialect } from '../dialect.ts'
import type { ColumnStorePort } from './port.ts'

export interface SharedVersion {
  /** Undefined when no migration was ever applied. */
  readonly version: number | undefined
  /** True if the migration to this version began and did not finish. */
  readonly dirty: boolean
}

export const versionTable = 'schema_migrations'

/** The columns that identify the tool's table. */
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
  // After reverting its first migration, the tool records -1 for "no version".
  if (row === undefined || Number(row.version) < 0) return { version: undefined, dirty: row?.dirty === 1 }
  return { version: Number(row.version), dirty: row.dirty === 1 }
}

export async function writeVersion(port: ColumnStorePort, dialect: Dialect, version: number, dirty: boolean): Promise<void> {
  // The time is from the engine's clock, which all rows of one deployment share. v3's tool uses the clock of its own process instead.
  const values = `(${version}, ${dirty ? 1 : 0}, toUnixTimestamp64Nano(now64(9)))`
  await port.command(`INSERT INTO ${dialect.table(versionTable)} (version, dirty, sequence) SETTINGS async_insert = 0 VALUES ${values}`)
}
