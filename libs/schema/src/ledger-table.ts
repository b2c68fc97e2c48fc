// Table in which the writer records every stored range of the log, so that the audit notices missing spans (architecture §7: spans = rows +
// dead-lettered + denied). Each range of a partition begins where the previous one ended.

import type { Dialect } from './dialect.ts'
import type { Column } from './events/columns.ts'

interface LedgerColumn extends Column {
  readonly default?: string
  /** True if a later migration adds the column to the table. */
  readonly added?: true
}

const columns: readonly LedgerColumn[] = [
  // Cluster id and topic id, or the embedded log's UUID. A recreated log has different records at the same offsets, so rows contain the
  // log's id.
  { name: 'log_id', type: 'String' },
  { name: 'consumer_group', type: 'LowCardinality(String)' },
  { name: 'topic', type: 'LowCardinality(String)' },
  { name: 'partition', type: 'UInt32' },
  // Destination table of the rows. The destination is empty for a stage that writes to a topic. Rows from before the destination column
  // also have no destination; all of them belong to events_full.
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

// Rows are kept for three months, because a replay or a backup could still fill a gap for that long.
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
 * extend a key by new columns without a default; it cannot shorten a key. Migrating down keeps the column, which the previous release does
 * not use.
 */
export const addLedgerDestination = (dialect: Dialect): string =>
  `ALTER TABLE ${dialect.table('ingest_ledger')}${dialect.onCluster}
  ADD COLUMN IF NOT EXISTS destination LowCardinality(String) AFTER partition,
  MODIFY ORDER BY (log_id, consumer_group, topic, partition, first_offset, destination)`

export const keepLedgerDestination = (dialect: Dialect): string =>
  `ALTER TABLE ${dialect.table('ingest_ledger')}${dialect.onCluster} COMMENT COLUMN IF EXISTS destination 'Of a later release.'`
