// Functions that create the fields of the catalog, one for each kind of field.
import type { Sql } from '../sql/sql.ts'
import { type EventRow, e } from './events.ts'
import type { BooleanField, Cost, ListField, NumberField, TextField, TimeField } from './kinds.ts'

interface More {
  /** Defaults to scan. */
  readonly cost?: Cost
  readonly also?: readonly string[]
}

interface Value<Of> {
  readonly sql: Sql
  readonly of: (row: EventRow) => Of
}

type Names<Value> = { [Name in keyof EventRow]: EventRow[Name] extends Value ? Name : never }[keyof EventRow]

export const text = (id: string, label: string, help: string, value: Value<string>, more: More = {}): TextField => ({
  ...{ kind: 'text', id, label, help, cost: 'scan' },
  ...value,
  ...more,
})
export const number = (id: string, label: string, help: string, value: Value<number | null>, more: More = {}): NumberField => ({
  ...{ kind: 'number', id, label, help, cost: 'scan' },
  ...value,
  ...more,
})
export const time = (id: string, label: string, help: string, value: Value<bigint | null>, more: More = {}): TimeField => ({
  ...{ kind: 'time', id, label, help, cost: 'scan' },
  ...value,
  ...more,
})
export const boolean = (id: string, label: string, help: string, value: Value<boolean>, more: More = {}): BooleanField => ({
  ...{ kind: 'boolean', id, label, help, cost: 'scan' },
  ...value,
  ...more,
})
export const list = (id: string, label: string, help: string, value: Value<readonly string[]>, more: More = {}): ListField => ({
  ...{ kind: 'list', id, label, help, cost: 'scan' },
  ...value,
  ...more,
})

export const textOf = (name: Names<string>): Value<string> => ({ sql: e[name].sql, of: row => row[name] })
export const numberOf = (name: Names<number | null>): Value<number | null> => ({ sql: e[name].sql, of: row => row[name] })
export const timeOf = (name: Names<bigint | null>): Value<bigint | null> => ({ sql: e[name].sql, of: row => row[name] })
export const booleanOf = (name: Names<boolean>): Value<boolean> => ({ sql: e[name].sql, of: row => row[name] })
export const listOf = (name: Names<readonly string[]>): Value<readonly string[]> => ({ sql: e[name].sql, of: row => row[name] })
