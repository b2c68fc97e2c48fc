import { AppError } from '@svc-server/errors'

/** Fields that errors of PostgreSQL's client and of PGlite have. */
interface DatabaseError {
  readonly code?: unknown
  readonly constraint?: unknown
  readonly table?: unknown
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/**
 * The first two characters of an SQLSTATE code are its class. A code of these classes means that the store is unavailable. In order, the
 * classes stand for: connection, transaction state (read-only after a failover), authorization, missing database, rollback, resources,
 * operator, system.
 */
const unavailableClasses = new Set(['08', '25', '28', '3D', '40', '53', '57', '58'])
const unavailableSockets = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
/** Some errors have no code. */
const unavailableMessages =
  /timeout exceeded when trying to connect|connection terminated|query read timeout|not queryable|pglite is clos|already closed|already been destroyed|pool after calling end/i

function isUnavailable(error: unknown): boolean {
  const code = textOf((error as DatabaseError | null)?.code)
  if (unavailableSockets.has(code) || (code.length === 5 && unavailableClasses.has(code.slice(0, 2)))) return true
  return unavailableMessages.test(error instanceof Error ? error.message : '')
}

/**
 * The meaning of a violated foreign key depends on the statement. In a delete, the row still has children. In any other statement, the
 * row's parent is missing.
 */
export type Statement = 'delete' | 'other'

/**
 * Returns `relational_unavailable` for a transient error. Returns `conflict`, `reference_missing`, or `still_referenced` for a violated
 * constraint, with the parameters `constraint` and `table`. Any other error is a bug and is returned unchanged.
 */
export function classify(error: unknown, statement: Statement = 'other'): unknown {
  if (error instanceof AppError) return error
  if (isUnavailable(error)) return new AppError('relational_unavailable', 'The relational store did not respond.', {}, { cause: error })
  const { code, ...fields } = Object(error) as DatabaseError
  const params = { constraint: textOf(fields.constraint), table: textOf(fields.table) }
  if (code === '23505') return new AppError('conflict', `A row of ${params.table} with this key already exists.`, params, { cause: error })
  if (code === '23503' && statement === 'other')
    return new AppError('reference_missing', `A row of ${params.table} refers to a row that does not exist.`, params, { cause: error })
  if (code === '23503' || code === '23001')
    return new AppError('still_referenced', `Rows of ${params.table} still refer to this row.`, params, { cause: error })
  return error
}
