// What an exception of ClickHouse, or its silence, means for the caller. The one place that knows ClickHouse's codes.
import { ClickHouseError } from '@clickhouse/client'
import { AppError, type ErrorCode } from '@svc-server/errors'

/** `read`: the caller's SQL may be wrong. `write`: SQL and bytes are ours, so what the server refuses is a mismatch of schemas. */
export type Operation = 'read' | 'write'

const codes = (list: string): ReadonlySet<number> => new Set(list.trim().split(/\s+/).map(Number))

// TIMEOUT_EXCEEDED, TOO_MANY_SIMULTANEOUS_QUERIES, NO_FREE_CONNECTION, SOCKET_TIMEOUT, MEMORY_LIMIT_EXCEEDED, NOT_ENOUGH_SPACE,
// TOO_MANY_PARTS, CANNOT_SCHEDULE_TASK, TOO_MANY_MUTATIONS
const overload = codes('159 202 203 209 241 243 252 439 692')

// REQUIRED_PASSWORD, UNKNOWN_USER, WRONG_PASSWORD, UNKNOWN_ACCESS_ENTITY, ACCESS_DENIED, AUTHENTICATION_FAILED
const auth = codes('192 193 194 492 497 516')

// Columns, types, formats, settings and names: the same insert will never be taken.
const data = codes(`6 7 8 9 10 15 16 20 25 26 27 32 33 34 36 38 39 40 41 42 43 44 46 47 48 50 53 60 62 69 70 72 73 81 115 117 130 131 190
  321 349 432 441 452 467 469 1`)

// READONLY, TABLE_IS_READ_ONLY, NETWORK_ERROR, ALL_CONNECTION_TRIES_FAILED, QUERY_WAS_CANCELLED, ABORTED, KEEPER_EXCEPTION,
// UNKNOWN_STATUS_OF_INSERT, TOO_FEW_LIVE_REPLICAS, UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE, CANNOT_*_FILE…: another moment, another answer.
const unavailable = codes('49 74 75 76 77 164 210 225 236 242 279 285 286 319 394 425 499 999 1001 1002')

/** 252 has two meanings; only the text tells a server under pressure from an insert that no server will take. */
const isPartitionLimit = (code: number, message: string): boolean => code === 252 && /too many partitions/i.test(message)

const codeOf = (clickHouseCode: number, message: string, operation: Operation): ErrorCode => {
  if (isPartitionLimit(clickHouseCode, message)) return 'column_store_partitions'
  if (overload.has(clickHouseCode)) return 'column_store_overloaded'
  if (auth.has(clickHouseCode)) return 'column_store_auth'
  if (unavailable.has(clickHouseCode)) return 'column_store_unavailable'
  if (operation === 'read') return 'column_store_query'
  // A code that nobody has met is retried: halting on it could be wrong for good, a retry only for a while.
  return data.has(clickHouseCode) ? 'column_store_data' : 'column_store_unavailable'
}

const firstLine = (text: string): string => text.split('\n', 1)[0]!.slice(0, 500)

/** The AppError for anything that the client threw; `what` begins the message ("Insert into events_full"). The cause stays attached. */
export const toColumnStoreError = (error: unknown, what: string, operation: Operation): AppError => {
  if (error instanceof AppError) return error
  if (error instanceof ClickHouseError) {
    const number = Number(error.code)
    const message = `${what}: ${firstLine(error.message)} (code ${error.code}${error.type ? `, ${error.type}` : ''})`
    return new AppError(codeOf(number, error.message, operation), message, { clickHouseCode: number }, { cause: error })
  }
  const text = error instanceof Error ? firstLine(error.message) || error.name : String(error)
  return new AppError('column_store_unavailable', `${what}: ${text}`, {}, { cause: error })
}
