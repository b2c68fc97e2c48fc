// The table of the audit contains the audit's position in each partition of the log, and the missing items that the audit has found. The
// table is separate from the ledger, so that operators who read the ledger by hand do not find the audit's state in it.
import type { Dialect } from './dialect.ts'

export const createIngestAudit = (dialect: Dialect): string =>
  `CREATE TABLE IF NOT EXISTS ${dialect.table('ingest_audit')}${dialect.onCluster} (
  log_id String,
  topic LowCardinality(String),
  partition UInt32,
  next_offset UInt64,
  missing String,
  written_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ${dialect.replacing('written_at')}
ORDER BY (log_id, topic, partition)
SETTINGS
${Object.entries(dialect.durability)
  .map(([name, value]) => `  ${name} = ${value}`)
  .join(',\n')}`
