// The table in which the writer records every stored range of the log. The audit uses the table to find missing spans. Each range must
// begin where the previous range of its partition ended. In each range, spans = rows + dead-lettered + denied must be true (architecture
// §7).

import type { Dialect } from './dialect.ts'
import type { Column } from './events/columns.ts'

interface LedgerColumn extends Column {
  readonly default?: string
  /** True if a later migration adds the column. */
  readonly added?: true
}

const columns: readonly LedgerColumn[] = [
  // Kafka's cluster id and topic id, or the embedded log's UUID. The id is needed because a recreated log has other records at the same
  // offsets.
  { name: 'log_id', type: 'String' },
  { name: 'consumer_group', type: 'LowCardinality(String)' },
  { name: 'topic', type: 'LowCardinality(String)' },
  { name: 'partition', type: 'UInt32' },
  // The table into which the rows were inserted. The destination is empty if a stage wrote to a topic instead of a table. Ledger rows that
  // are older than this column also have an empty destination. These older ledger rows describe rows of events_full.
  { name: 'destination', type: 'LowCardinality(String)', added: true },
  { name: 'first_offset', type: 'UInt64' },
  { name: 'last_offset', type: 'UInt64' },
  { name: 'records', type: 'UInt64' },
  { name: 'spans', type: 'UInt64' },
  { name: 'rows', type: 'UInt64' },
  { name: 'dead_lettered', type: 'UInt64' },
  { name: 'denied', type: 'UInt64' },
  { name: 'body_hash', type: 'String' },
  // Versions of the mapping and the catalog snapshot.
  { name: 'versions', type: 'Map(String, String)' },
  { name: 'written_at', type: "DateTime64(3, 'UTC')", default: 'now64(3)' },
]

/** The table's columns. An insert can omit written_at, which has a default. */
export const ledgerColumns: readonly Column[] = columns.map(({ name, type }) => ({ name, type }))

// Ledger rows are kept for three months, because during this time a replay or a backup can still fill a gap between two ledger rows.
export const createIngestLedger = (dialect: Dialect): string =>
  `CREATE TABLE IF NOT EXISTS ${dialect.table('ingest_ledger')}${dialect.onCluster} (
${columns
  .filter(({ added }) => !added)
  .map(c => `  ${c.name} ${c.type}${c.default === undefined ? '' : ` DEFAULT ${c.default}`}`)
  .join(',\n')}
)
ENGINE = ${dialect.replacing('written_at')}
ORDER BY (log_id, consumer_group, topic, partition, first_offset)
TTL toDateTime(written_at) + INTERVAL 90 DAY
SETTINGS
${Object.entries(dialect.durability)
  .map(([name, value]) => `  ${name} = ${value}`)
  .join(',\n')}`

/**
 * The destination becomes a part of the key, so that a chunk has a row for each table or topic. The engine can extend a key only by new
 * columns without a default, and cannot remove a column from a key. Migrating down therefore keeps the column, which the previous release
 * ignores.
 */
export const addLedgerDestination = (dialect: Dialect): string =>
  `ALTER TABLE ${dialect.table('ingest_ledger')}${dialect.onCluster}
  ADD COLUMN IF NOT EXISTS destination LowCardinality(String) AFTER partition,
  MODIFY ORDER BY (log_id, consumer_group, topic, partition, first_offset, destination)`

export const keepLedgerDestination = (dialect: Dialect): string =>
  `ALTER TABLE ${dialect.table('ingest_ledger')}${dialect.onCluster} COMMENT COLUMN IF EXISTS destination 'Of a later release.'`
