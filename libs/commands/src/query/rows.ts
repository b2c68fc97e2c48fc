import { table } from '../table.ts'

export type Row = Readonly<Record<string, unknown>>

const longest = 48

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function cellOf(value: unknown): string | number {
  if (typeof value === 'number') return value
  const text = textOf(value).replaceAll(/\p{Cc}+/gu, ' ')
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text
}

/** Omits columns that are empty in all rows. */
export function rowsTable(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))].filter(name => rows.some(row => textOf(row[name]) !== ''))
  return table(
    names,
    rows.map(row => names.map(name => cellOf(row[name]))),
  )
}

/** CSV according to RFC 4180. */
export function rowsCsv(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))]
  const quoted = (value: unknown) => (typeof value === 'number' ? String(value) : `"${textOf(value).replaceAll('"', '""')}"`)
  return [names, ...rows.map(row => names.map(name => row[name]))].map(cells => cells.map(quoted).join(',')).join('\n')
}
