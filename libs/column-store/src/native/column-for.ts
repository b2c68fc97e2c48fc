// Creates a column from the name of its type. Supports only types that occur in the schema.
import { AppError } from '@svc-server/errors'
import type { BufferPool } from './buffer-pool.ts'
import type { Column } from './column.ts'
import { LowCardinalityColumn } from './low-cardinality.ts'
import { ArrayColumn, LowCardinalityArrayColumn, NamedTextMapColumn, NumberMapColumn, TextMapColumn } from './nested-columns.ts'
import {
  FloatColumn,
  NullableDecimalColumn,
  NullableNumberColumn,
  NullableStringColumn,
  NumberColumn,
  StringColumn,
} from './scalar-columns.ts'

const builders: Readonly<Record<string, (pool: BufferPool) => Column>> = {
  String: pool => new StringColumn(pool),
  'LowCardinality(String)': pool => new LowCardinalityColumn(pool),
  Bool: pool => new NumberColumn(pool, 1),
  UInt8: pool => new NumberColumn(pool, 1),
  UInt16: pool => new NumberColumn(pool, 2),
  UInt64: pool => new NumberColumn(pool, 8),
  Date: pool => new NumberColumn(pool, 2),
  'DateTime64(3)': pool => new NumberColumn(pool, 8),
  'DateTime64(6)': pool => new NumberColumn(pool, 8),
  Float64: pool => new FloatColumn(pool),
  'Nullable(String)': pool => new NullableStringColumn(pool),
  'Nullable(UInt8)': pool => new NullableNumberColumn(pool, 1),
  'Nullable(UInt16)': pool => new NullableNumberColumn(pool, 2),
  'Nullable(UInt64)': pool => new NullableNumberColumn(pool, 8),
  'Nullable(DateTime64(3))': pool => new NullableNumberColumn(pool, 8),
  'Nullable(Decimal(18, 12))': pool => new NullableDecimalColumn(pool),
  'Nullable(DateTime64(6))': pool => new NullableNumberColumn(pool, 8),
  'Array(String)': pool => new ArrayColumn(pool),
  'Array(UInt8)': pool => new ArrayColumn(pool),
  'Array(LowCardinality(String))': pool => new LowCardinalityArrayColumn(pool),
  'Map(LowCardinality(String), UInt64)': pool => new NumberMapColumn(pool),
  'Map(LowCardinality(String), Decimal(18, 12))': pool => new NumberMapColumn(pool),
  'Map(LowCardinality(String), String)': pool => new NamedTextMapColumn(pool),
  'Map(String, String)': pool => new TextMapColumn(pool),
}

/** Throws column_store_data for an unknown type. An unknown type means that schema and code have different versions. */
export function columnFor(type: string, pool: BufferPool): Column {
  const build = Object.hasOwn(builders, type) ? builders[type] : undefined
  if (build === undefined) throw new AppError('column_store_data', `no Native builder for the column type ${type}`, { type })
  return build(pool)
}
