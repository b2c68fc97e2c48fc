// Converts an exception of ClickHouse, or a missing response, to an AppError. Only this file knows ClickHouse's error codes.
import { ClickHouseError } from '@clickhouse/client'
import { AppError, type ErrorCode } from '@svc-server/errors'

/** An `insert` sends client data as a block. A `statement` sends SQL with parameters, but no rows of client data. */
export type Operation = 'insert' | 'statement'

const codes = (list: string): ReadonlySet<number> => new Set(list.trim().split(/\s+/).map(Number))

// TIMEOUT_EXCEEDED, TOO_SLOW, CANNOT_ALLOCATE_MEMORY, QUOTA_EXCEEDED, TOO_MANY_SIMULTANEOUS_QUERIES,
// NO_FREE_CONNECTION, SOCKET_TIMEOUT, MEMORY_LIMIT_EXCEEDED, NOT_ENOUGH_SPACE, TOO_MANY_PARTS,
// LIMIT_EXCEEDED, RECEIVED_ERROR_TOO_MANY_REQUESTS, CANNOT_SCHEDULE_TASK, TOO_MANY_MUTATIONS,
// SERVER_OVERLOADED, RESOURCE_LIMIT_EXCEEDED, MEMORY_RESERVATION_KILLED, MEMORY_RESERVATION_FAILED
const overload = codes('159 160 173 201 202 203 209 241 243 252 290 364 439 692 745 776 777 778')

// UNKNOWN_USER, WRONG_PASSWORD, REQUIRED_PASSWORD, IP_ADDRESS_NOT_ALLOWED, DATABASE_ACCESS_DENIED,
// ACCESS_ENTITY_NOT_FOUND, ACCESS_DENIED, AUTHENTICATION_FAILED
const auth = codes('192 193 194 195 291 492 497 516')

// Codes about columns, types, formats, functions, settings and names. These codes mean that the server's schema or version differs from
// what svc expects, so the server would refuse all rows.
const schema = codes(`1 7 8 10 15 16 20 34 35 36 42 43 44 46 47 48 50 53 60 62 63 70 73 81 115 386 432 452 456 457 471`)

// Codes about the contents of the rows: CANNOT_PARSE_*, INCORRECT_DATA, ARGUMENT_OUT_OF_BOUND, VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE,
// SIZES_OF_ARRAYS_DONT_MATCH, CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN, DECIMAL_OVERFLOW, VIOLATED_CONSTRAINT …
const badRows = codes('6 9 25 26 27 32 33 38 41 69 72 117 130 190 321 349 407 441 467 469 760')

// Codes about the size of the data: TOO_LARGE_ARRAY_SIZE, TOO_LARGE_STRING_SIZE, TOO_MANY_ROWS, SET_SIZE_LIMIT_EXCEEDED (a body too large
// for the embedded engine), QUERY_IS_TOO_LARGE, TOO_MANY_BYTES, TOO_MANY_ROWS_OR_BYTES
const tooLarge = codes('128 131 158 191 229 307 396')

/** Code 252 means either that the server is busy, or that no server would accept the insert. */
const isPartitionLimit = (code: number, message: string): boolean => code === 252 && /too many partitions/i.test(message)

/**
 * Code 241 (memory limit exceeded) means that the server has no free memory, or that the query exceeds its own limit. In the second case,
 * only an insert of fewer rows can succeed.
 */
const isQueryLimit = (code: number, message: string): boolean => code === 241 && /query memory limit|\(for query\)/i.test(message)

/** A proxy in front of the server can limit body sizes. */
const isBodyLimit = (text: string): boolean => /\b413\b|(entity|content|payload) too large/i.test(text)

function ofInsert(code: number, message: string): ErrorCode {
  if (isPartitionLimit(code, message)) return 'column_store_partitions'
  if (badRows.has(code) || tooLarge.has(code) || isQueryLimit(code, message)) return 'column_store_refused'
  return schema.has(code) ? 'column_store_data' : common(code)
}

/** Codes for the limits that the query itself sets: TOO_MANY_ROWS, TOO_MANY_BYTES, TOO_MANY_ROWS_OR_BYTES */
const readLimits = codes('158 307 396')

/**
 * The operation `statement` sends no rows of client data. The codes of `schema`, `badRows` and `tooLarge` therefore mean that its SQL or
 * the schema is wrong, or that the statement requests too much data.
 */
const ofStatement = (code: number): ErrorCode =>
  readLimits.has(code)
    ? 'column_store_overloaded'
    : schema.has(code) || badRows.has(code) || tooLarge.has(code)
      ? 'column_store_query'
      : common(code)

function common(code: number): ErrorCode {
  if (overload.has(code)) return 'column_store_overloaded'
  // An unlisted code is retried without a halt: a wrong halt can page an operator, but a wrong retry costs only time. The unlisted
  // codes include errors of disks, networks, Keeper and replicas, which are possibly temporary.
  return auth.has(code) ? 'column_store_auth' : 'column_store_unavailable'
}

const firstLine = (text: string): string => text.split('\n', 1)[0]!.slice(0, 500)

/** The message begins with `what`, such as "Insert into events_full". */
export const toColumnStoreError = (error: unknown, what: string, operation: Operation): AppError => {
  if (error instanceof AppError) return error
  if (error instanceof ClickHouseError) {
    const number = Number(error.code)
    const message = `${what}: ${firstLine(error.message)} (code ${error.code}${error.type ? `, ${error.type}` : ''})`
    const code = operation === 'insert' ? ofInsert(number, error.message) : ofStatement(number)
    return new AppError(code, message, { clickHouseCode: number }, { cause: error })
  }
  const text = error instanceof Error ? firstLine(error.message) || error.name : String(error)
  const code = operation === 'insert' && isBodyLimit(text) ? 'column_store_refused' : 'column_store_unavailable'
  return new AppError(code, `${what}: ${text}`, {}, { cause: error })
}
