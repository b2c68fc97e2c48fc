// A Native block of rows that are objects, for tables whose rows are few: each value goes into the column of
// its name, in the form of its type. A row that lacks a name gets the type's default.
import {
  ArrayColumn,
  createBlockBuilder,
  FloatColumn,
  LowCardinalityColumn,
  NamedTextMapColumn,
  NullableNumberColumn,
  NullableStringColumn,
  NumberColumn,
  StringColumn,
} from '@svc-server/column-store/native'
import { bodyHash } from '@svc-server/observations/block/body-hash'
import type { Column } from '@svc-server/schema/events/columns'
import type { EncodedRows } from './row-encoder.ts'

/** Pairs are the entries of a map, whose names must differ; null is NULL. */
type Cell = string | number | null | readonly string[] | readonly (readonly [string, string])[]
export type ObjectRow = Readonly<Record<string, Cell>>

type Write = (row: number, value: Cell) => void

export interface ObjectBlock {
  add(row: ObjectRow): void
  /** The block, and a fresh start. */
  finish(): Pick<EncodedRows, 'columns' | 'body' | 'hash' | 'rows'> & { readonly repairedTexts: number }
}

/** Throws column_store_data for a type that no row of objects has had yet. */
export function createObjectBlock(columns: readonly Column[]): ObjectBlock {
  const block = createBlockBuilder(columns)
  const writers = columns.map(column => [column.name, writerOf(column)] as const)
  const names = columns.map(({ name }) => name)
  let rows = 0

  function writerOf({ name, type }: Column): Write {
    if (type === 'Nullable(String)') return texts(block.column(name, NullableStringColumn))
    if (type === 'LowCardinality(String)') return texts(block.column(name, LowCardinalityColumn))
    if (type === 'String') return texts(block.column(name, StringColumn))
    if (type === 'Float64') return numbers(block.column(name, FloatColumn))
    if (type.startsWith('Nullable(')) return numbers(block.column(name, NullableNumberColumn))
    if (type.startsWith('Map(')) return pairs(block.column(name, NamedTextMapColumn))
    if (type.startsWith('Array(')) return lists(block.column(name, ArrayColumn))
    return numbers(block.column(name, NumberColumn))
  }

  return {
    add(row) {
      for (const [name, write] of writers) {
        const value = row[name]
        if (value !== undefined && value !== null) write(rows, value)
      }
      rows += 1
    },
    finish() {
      const repairedTexts = block.repaired()
      const body = block.finish(rows)
      const made = { columns: names, body, hash: bodyHash(body), rows, repairedTexts }
      rows = 0
      return made
    },
  }
}

const texts =
  (column: { string(row: number, value: string): void }): Write =>
  (row, value) =>
    column.string(row, value as string)

const numbers =
  (column: { set(row: number, value: number): void }): Write =>
  (row, value) =>
    column.set(row, value as number)

const pairs =
  (column: NamedTextMapColumn): Write =>
  (row, value) => {
    for (const [name, text] of value as readonly (readonly [string, string])[]) column.set(row, name, text)
  }

const lists =
  (column: ArrayColumn): Write =>
  (row, value) => {
    const items = value as readonly string[]
    const out = column.open(row)
    for (const item of items) out.string(item)
    column.added(items.length)
  }
