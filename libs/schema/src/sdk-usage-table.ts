// The table of accepted and rejected requests by SDK, for `svc sdks`. A row contains the counts of one process for an SDK version and a
// day. The writer inserts the row again when the counts grow, and only the row with the newest `updated_at` is valid (ADR 0025).
import type { Dialect } from './dialect.ts'
import type { Column } from './events/columns.ts'

const columns: readonly Column[] = [
  { name: 'day', type: 'Date' },
  { name: 'project_id', type: 'String' },
  { name: 'sdk_name', type: 'LowCardinality(String)' },
  { name: 'sdk_version', type: 'LowCardinality(String)' },
  { name: 'path', type: 'LowCardinality(String)' },
  { name: 'source', type: 'String' },
  { name: 'requests', type: 'UInt64' },
  { name: 'spans', type: 'UInt64' },
  { name: 'events', type: 'UInt64' },
  { name: 'scores', type: 'UInt64' },
  { name: 'last_seen', type: 'DateTime64(3)' },
  { name: 'updated_at', type: 'DateTime64(3)' },
]

/** An insert must contain the columns in this order. */
export const sdkUsageColumns = columns

const storedType = (type: string) => type.replace('DateTime64(3)', "DateTime64(3, 'UTC')")

// Rows are kept for more than a year, because some SDKs run once a quarter.
export const createSdkUsage = (dialect: Dialect): string =>
  `CREATE TABLE IF NOT EXISTS ${dialect.table('sdk_usage')}${dialect.onCluster} (
${columns.map(({ name, type }) => `  ${name} ${storedType(type)}`).join(',\n')}
)
ENGINE = ${dialect.replacing('updated_at')}
ORDER BY (project_id, day, sdk_name, sdk_version, path, source)
TTL day + INTERVAL 400 DAY
SETTINGS
${Object.entries(dialect.durability)
  .map(([name, value]) => `  ${name} = ${value}`)
  .join(',\n')}`
