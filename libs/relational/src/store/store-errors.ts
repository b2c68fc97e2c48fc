// Which failures of the relational store are weather and which are defects. Only weather may be retried and
// hidden by a cache.
import { AppError, isAppError } from '@svc-server/errors'

const codeOf = (error: unknown): string => {
  const code = (error as { readonly code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}

/**
 * SQLSTATE classes: connection, transaction state (read-only after a failover), authorisation, database gone,
 * rollback, resources, operator, system.
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
/** What the clients say without a code. */
const unavailableMessages =
  /timeout exceeded when trying to connect|connection terminated|query read timeout|not queryable|pglite is clos|already closed|already been destroyed|pool after calling end/i

const isUnavailable = (error: unknown): boolean => {
  const code = codeOf(error)
  if (unavailableSockets.has(code) || (code.length === 5 && unavailableClasses.has(code.slice(0, 2)))) return true
  return unavailableMessages.test(error instanceof Error ? error.message : '')
}

/** `relational_unavailable` for what may pass; anything else comes back as it is, because it is a defect. */
export const storeError = (error: unknown): unknown => {
  if (isAppError(error) || !isUnavailable(error)) return error
  return new AppError('relational_unavailable', 'The relational store did not answer.', {}, { cause: error })
}

/**
 * Runs a write that may be missed: a store that is read-only or gone must not refuse what it has already
 * answered.
 */
export const bestEffort = async (work: () => Promise<unknown>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    if (!isUnavailable(error)) throw error
  }
}

/** Runs database work with its errors classified. */
export const classified = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw storeError(error)
  }
}

export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === '23505'
export const isForeignKeyViolation = (error: unknown): boolean => codeOf(error) === '23503'
