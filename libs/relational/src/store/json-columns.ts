// Parses JSON columns of both kinds of store without changing the digits of numbers (ADR 0038).
import { parseExactJson } from '@svc-server/json'

/** `json` and `jsonb` in PostgreSQL. */
const jsonTypes = [114, 3802]

/**
 * PGlite's thread passes JSON as text. A thread that receives an object instead must rebuild it member by member. If the member names are
 * whole numbers, the rebuilt object takes a thousand times as much memory as its text.
 */
export const asText: Readonly<Record<number, (text: string) => string>> = Object.fromEntries(
  jsonTypes.map(type => [type, (text: string) => text]),
)

export const jsonColumnsOf = (fields: readonly { readonly name: string; readonly dataTypeID: number }[]): readonly string[] =>
  fields.filter(({ dataTypeID }) => jsonTypes.includes(dataTypeID)).map(({ name }) => name)

/** Parses the columns in place. */
export function parseColumns(rows: readonly unknown[], columns: readonly string[]): void {
  for (const row of rows as readonly Record<string, unknown>[]) {
    for (const column of columns) {
      const text = row[column]
      if (typeof text === 'string') row[column] = parseExactJson(text)
    }
  }
}

export const jsonParsers: Readonly<Record<number, (text: string) => unknown>> = Object.fromEntries(
  jsonTypes.map(type => [type, (text: string) => parseExactJson(text)]),
)
