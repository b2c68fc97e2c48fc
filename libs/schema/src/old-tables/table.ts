// The definition of a v3 table, for its DDL and its inserts. Columns, keys, partitions and index names are exactly v3's, because v3's
// container images use these tables after a rollback to v3 (contract §3.1).
import type { Dialect } from '../dialect.ts'
import type { Column, TypedColumn } from '../events/columns.ts'

export interface OldColumn extends Column {
  readonly default?: string
  readonly codec?: string
}

export interface OldTable {
  readonly name: string
  /** The columns, in the order in which the block of an insert contains them. */
  readonly columns: readonly OldColumn[]
  /** Indexes, each with `GRANULARITY 1`. */
  readonly indexes: readonly (readonly [name: string, definition: string])[]
  readonly partitionBy?: string
  /** Number of leading terms of the sorting key that form the primary key; by default, all. */
  readonly primaryTerms?: number
  readonly orderBy: readonly string[]
  readonly ttl?: string
  readonly settings?: Readonly<Record<string, number>>
}

export const text = 'String'
export const optionalText = 'Nullable(String)'
export const bounded = 'LowCardinality(String)'
export const time = 'DateTime64(3)'
export const optionalTime = 'Nullable(DateTime64(3))'
export const texts = 'Array(String)'
export const metadata = 'Map(LowCardinality(String), String)'
export const usage = 'Map(LowCardinality(String), UInt64)'
export const cost = 'Map(LowCardinality(String), Decimal(18, 12))'

export const column = <const Name extends string, const Type extends string>(
  name: Name,
  type: Type,
  more: { default?: string; codec?: string } = {},
): OldColumn & TypedColumn<Name, Type> => ({ name, type, ...more })

export const large = { codec: 'ZSTD(3)' }
export const environment = column('environment', bounded, { default: "'default'" })

/** Creation time of a row, its version among rows with the same key, and whether it is a tombstone. */
export const versionColumns = [
  column('created_at', time, { default: 'now()' }),
  column('updated_at', time, { default: 'now()' }),
  column('event_ts', time),
  column('is_deleted', 'UInt8'),
] as const

function definition({ name, type, default: value, codec }: OldColumn): string {
  return [name, type, value === undefined ? '' : `DEFAULT ${value}`, codec === undefined ? '' : `CODEC(${codec})`].filter(Boolean).join(' ')
}

/** Creates a table, if it is missing. A table that v3 created stays unchanged. */
export function createOldTable(dialect: Dialect, table: OldTable, engine: string = dialect.replacing('event_ts', 'is_deleted')): string {
  const lines = [...table.columns.map(definition), ...table.indexes.map(([name, over]) => `INDEX ${name} ${over} GRANULARITY 1`)]
  const primary = table.orderBy.slice(0, table.primaryTerms)
  const settings = Object.entries(table.settings ?? {}).map(([name, value]) => `${name} = ${value}`)
  return [
    `CREATE TABLE IF NOT EXISTS ${dialect.table(table.name)}${dialect.onCluster} (`,
    lines.map(line => `  ${line}`).join(',\n'),
    ')',
    `ENGINE = ${engine}`,
    ...(table.partitionBy === undefined ? [] : [`PARTITION BY ${table.partitionBy}`]),
    ...(table.primaryTerms === undefined ? [] : [`PRIMARY KEY (${primary.join(', ')})`]),
    `ORDER BY (${table.orderBy.join(', ')})`,
    ...(table.ttl === undefined ? [] : [`TTL ${table.ttl}`]),
    ...(settings.length === 0 ? [] : [`SETTINGS ${settings.join(', ')}`]),
  ].join('\n')
}
