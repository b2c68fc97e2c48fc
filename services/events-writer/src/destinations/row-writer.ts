// Writes objects into the columns of a block. An absent value becomes the default of the column's type.
import {
  ArrayColumn,
  type BlockBuilder,
  FloatColumn,
  LowCardinalityArrayColumn,
  LowCardinalityColumn,
  NamedTextMapColumn,
  NullableDecimalColumn,
  NullableNumberColumn,
  NullableStringColumn,
  NumberColumn,
  NumberMapColumn,
  StringColumn,
  sourceOf,
  TextMapColumn,
} from '@svc-server/column-store/native'
import type { Column } from '@svc-server/schema/events/columns'

/** A 64-bit number. For a decimal column, the number is the value in units of 10^-12, the last decimal place. */
type Units = number | bigint

/** The value of one column in one row. A value of a Map column is a list of pairs, each with a different name. Null is SQL's NULL. */
type Cell =
  | string
  | Units
  | null
  | readonly string[]
  | readonly number[]
  | readonly (readonly [string, string])[]
  | readonly (readonly [string, Units])[]

export type RowOf<Row> = { readonly [Name in keyof Row]: Cell }

type Write = (row: number, value: Cell) => void

/** Throws column_store_data for a column type without a writer. */
export function createRowWriter(block: BlockBuilder, columns: readonly Column[]) {
  const writers = columns.map(({ name, type }) => [name, writerOf(block, name, type)] as const)
  return <Row extends RowOf<Row>>(row: number, values: Row): void => {
    const cells = values as Readonly<Record<string, Cell | undefined>>
    for (const [name, write] of writers) {
      const value = cells[name]
      if (value !== undefined && value !== null) write(row, value)
    }
  }
}

function writerOf(block: BlockBuilder, name: string, type: string): Write {
  switch (type) {
    case 'Nullable(String)':
      return texts(block.column(name, NullableStringColumn))
    case 'LowCardinality(String)':
      return texts(block.column(name, LowCardinalityColumn))
    case 'String':
      return texts(block.column(name, StringColumn))
    case 'Float64':
      return numbers(block.column(name, FloatColumn))
    case 'Nullable(Decimal(18, 12))':
      return units(block.column(name, NullableDecimalColumn))
    case 'Map(LowCardinality(String), String)':
      return pairs(block.column(name, NamedTextMapColumn))
    case 'Map(String, String)':
      return pairs(block.column(name, TextMapColumn))
    case 'Array(LowCardinality(String))':
      return names(block.column(name, LowCardinalityArrayColumn))
    case 'Array(UInt8)':
      return bytes(block.column(name, ArrayColumn))
  }
  if (type.startsWith('Nullable(')) return numbers(block.column(name, NullableNumberColumn))
  if (type.startsWith('Map(')) return amounts(block.column(name, NumberMapColumn))
  if (type.startsWith('Array(')) return lists(block.column(name, ArrayColumn))
  return numbers(block.column(name, NumberColumn))
}

const texts =
  (column: { string(row: number, value: string): void }): Write =>
  (row, value) =>
    column.string(row, value as string)

const numbers =
  (column: { set(row: number, value: number): void }): Write =>
  (row, value) =>
    column.set(row, value as number)

const units =
  (column: NullableDecimalColumn): Write =>
  (row, value) =>
    column.set(row, value as Units)

const pairs =
  (column: { set(row: number, name: string, value: string): void }): Write =>
  (row, value) => {
    for (const [name, text] of value as readonly (readonly [string, string])[]) column.set(row, name, text)
  }

const amounts =
  (column: NumberMapColumn): Write =>
  (row, value) => {
    for (const [name, amount] of value as readonly (readonly [string, Units])[]) {
      const source = sourceOf(name)
      column.set(row, column.keyIndexOf(source, 0, source.bytes.length), amount)
    }
  }

const lists =
  (column: ArrayColumn): Write =>
  (row, value) => {
    const items = value as readonly string[]
    const out = column.open(row)
    for (const item of items) out.string(item)
    column.added(items.length)
  }

const bytes =
  (column: ArrayColumn): Write =>
  (row, value) => {
    const items = value as readonly number[]
    const out = column.open(row)
    for (const item of items) out.byte(item)
    column.added(items.length)
  }

const names =
  (column: LowCardinalityArrayColumn): Write =>
  (row, value) => {
    const items = value as readonly string[]
    const out = column.open(row)
    for (const item of items) {
      const source = sourceOf(item)
      out.indexes.push(out.indexOf(source, 0, source.bytes.length))
    }
    column.added(items.length)
  }
