// Defines the output formats of streams. Each format defines the columns of the statement, the format of the column store's output, and how
// the rows of a piece are counted.
import type { StreamType } from '@svc-server/api/streams'
import type { OutputFormat } from '@svc-server/column-store/port'
import { plain } from '../fields/wire.ts'
import type { Fields } from '../sql/field.ts'
import { constant, join, type Sql, sql } from '../sql/sql.ts'
import { createParquetJoin } from './parquet.ts'

export interface Piece {
  readonly bytes: Uint8Array
  readonly rows: number
}

/** Joins the slices from the column store into one stream. */
export interface StreamFormat {
  /** Returns the columns for SELECT. */
  columns(fields: Fields): Sql
  /** The column store's output format for the next slice. */
  readonly format: OutputFormat
  /** Converts slices in order. */
  piece(slice: Uint8Array): Piece
  /** Returns the bytes that end the stream after the last slice: the footer of Parquet. The other formats need no such bytes. */
  end(): Piece
}

const nothing: Piece = { bytes: new Uint8Array(), rows: 0 }

const writtenOf = (fields: Fields) => Object.entries(fields).map(([name, field]) => [name, field.written ?? plain(field.sql)] as const)
/** Field names come from the source code, never from a request. */
const named = (name: string, expression: Sql): Sql => sql`${expression} AS ${constant(`\`${name}\``)}`

export function streamFormat(type: StreamType): StreamFormat {
  if (type === 'application/x-ndjson') return lines()
  return type === 'text/csv' ? csv() : parquet()
}

function lines(): StreamFormat {
  return {
    columns(fields) {
      const members = writtenOf(fields).map(([name, { json }], at) => sql`'${constant(`${at === 0 ? '' : ','}"${name}":`)}', ${json}`)
      return sql`concat('{', ${join(members, ', ')}, '}')`
    },
    format: 'TSVRaw',
    piece: bytes => ({ bytes, rows: linesIn(bytes) }),
    end: () => nothing,
  }
}

function csv(): StreamFormat {
  let isFirst = true
  return {
    columns: fields =>
      join(
        writtenOf(fields).map(([name, written]) => named(name, written.csv)),
        ', ',
      ),
    get format() {
      return isFirst ? 'CSVWithNames' : 'CSV'
    },
    piece(bytes) {
      const names = isFirst ? 1 : 0
      isFirst = false
      return { bytes, rows: linesOutsideQuotes(bytes) - names }
    },
    end: () => nothing,
  }
}

function parquet(): StreamFormat {
  const files = createParquetJoin()
  return {
    columns: fields =>
      join(
        writtenOf(fields).map(([name, written]) => named(name, written.parquet)),
        ', ',
      ),
    format: 'Parquet',
    piece: files.add,
    end: () => ({ bytes: files.end(), rows: 0 }),
  }
}

const newline = 0x0a
const quote = 0x22

function linesIn(bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count++
  return count
}

/**
 * Counts line ends outside of quotes. Two adjacent quotes within a quoted text need no special treatment: the first quote closes the text,
 * and the second quote opens the text again.
 */
function linesOutsideQuotes(bytes: Uint8Array): number {
  let count = 0
  let isQuoted = false
  for (const byte of bytes) {
    if (byte === quote) isQuoted = !isQuoted
    else if (byte === newline && !isQuoted) count++
  }
  return count
}
