// How far the audit of the events tables is in each partition of the log, and what it found missing there. A
// table of its own: operators read the ledger by hand, and nothing in it is about a reader's place.
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
