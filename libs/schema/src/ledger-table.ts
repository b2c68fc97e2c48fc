// Table in which the writer records every stored range of the log, so that a missing span can be noticed (architecture §7: spans = rows +
// dead-lettered + denied). In a partition, each range begins where the previous one ended.

import type { Dialect } from './dialect.ts'
import type { Column } from './events/columns.ts'

interface LedgerColumn extends Column {
  readonly default?: string
  /** True if the column is added by a later migration than the one that creates the table. */
  readonly added?: true
}

const columns: readonly LedgerColumn[] = [
  // Cluster id and topic id, or the embedded log's UUID. The id is needed because a recreated log has different records at the same
  // offsets.
  { name: 'log_id', type: 'String' },
  { name: 'consumer_group', type: 'LowCardinality(String)' },
  { name: 'topic', type: 'LowCardinality(String)' },
  { name: 'partition', type: 'UInt32' },
  // Destination table of the rows. The destination is empty for a stage that writes to a topic. The destination is also empty in rows that
  // were written before this column existed; all such rows belong to events_full.
  { name: 'destination', type: 'LowCardinality(String)', added: true },
  { name: 'first_offset', type: 'UInt64' },
  { name: 'last_offset', type: 'UInt64' },
  { name: 'records', type: 'UInt64' },
  { name: 'spans', type: 'UInt64' },
  { name: 'rows', type: 'UInt64' },
  { name: 'dead_lettered', type: 'UInt64' },
  { name: 'denied', type: 'UInt64' },
  { name: 'body_hash', type: 'String' },
  // Versions of the mapping and of the catalog snapshot from which these rows were created.
  { name: 'versions', type: 'Map(String, String)' },
  { name: 'written_at', type: "DateTime64(3, 'UTC')", default: 'now64(3)' },
]

/** Columns of ingest_ledger that an insert sets. written_at has a default. */
export const ledgerColumns: readonly Column[] = columns.map(({ name, type }) => ({ name, type }))

// Rows are kept for three months. For that long, a gap could still be filled from the log, by a replay or from a backup.
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
 * Adds the destination to the key, so that a chunk has a row for each table or topic to which its spans were written. The engine can only
 * extend a key, by new columns without a default, and never shorten it. The column therefore stays when migrating down; the previous
 * release does not use it.
 */
export const addLedgerDestination = (dialect: Dialect): string =>
  `ALTER TABLE ${dialect.table('ingest_ledger')}${dialect.onCluster}
  ADD COLUMN IF NOT EXISTS destination LowCardinality(String) AFTER partition,
  MODIFY ORDER BY (log_id, consumer_group, topic, partition, first_offset, destination)`

export const keepLedgerDestination = (dialect: Dialect): string =>
  `ALTER TABLE ${dialect.table('ingest_ledger')}${dialect.onCluster} COMMENT COLUMN IF EXISTS destination 'Of a later release.'`
